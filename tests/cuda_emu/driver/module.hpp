// Modules and their functions.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>

struct CUfunc_st {
  CUmodule module = nullptr;
  std::string name;
  std::uint32_t kernel = 0;  // as the executor counts them
  std::size_t parameter_bytes = 0;
};

struct CUmod_st {
  CUcontext context = nullptr;
  std::map<std::string, std::unique_ptr<CUfunc_st>> functions;
};

// cuMemCreate and what goes with it: memory apart from addresses.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <map>

#include "driver/file.hpp"

namespace cuda_emu {

struct PhysicalMemory {
  File file;
  std::uint64_t bytes = 0;
  CUmemAllocationProp properties{};
  unsigned references = 1;  // handles and mappings
};

struct VirtualMemory {
  std::map<CUmemGenericAllocationHandle, PhysicalMemory> physical;
  std::map<std::uint64_t, std::uint64_t> reservations;  // address -> bytes
  CUmemGenericAllocationHandle next_handle = 1;
};

}  // namespace cuda_emu

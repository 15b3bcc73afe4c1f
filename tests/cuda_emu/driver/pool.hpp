// Memory pools and stream-ordered frees.
#pragma once

#include <cuda.h>

#include <sys/types.h>
#include <cstdint>

#include "driver/file.hpp"

namespace cuda_emu {

// What an exported pool's descriptor leads to: its arena, in which exported pointers are found.
struct StreamOrderedFree {
  std::uint32_t slot = 0, number = 0;  // done when this operation is
  std::uint64_t address = 0, bytes = 0, mapped = 0, offset = 0;
  CUdevice device = 0;
  bool in_arena = true;
};

}  // namespace cuda_emu

struct CUmemPoolHandle_st {
  CUdevice device = 0;
  bool is_default = false;
  bool imported = false;
  CUmemAllocationHandleType handle_types = CU_MEM_HANDLE_TYPE_NONE;
  std::uint64_t used_bytes = 0;
  std::uint64_t used_bytes_high = 0;
  std::uint64_t release_threshold = 0;
  cuda_emu::File arena;  // of the process that an imported pool came from
};

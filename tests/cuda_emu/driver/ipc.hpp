// Handles of memory and events for other processes.
#pragma once

#include <cuda.h>

#include <cstdint>

#include "driver/file.hpp"
#include "driver/memory.hpp"

namespace cuda_emu {

struct FilePart {
  std::uint64_t offset, bytes;
};

// Maps a part of another process's memory. `imported` says what kind it is; `device` is the machine-wide number of the
// device that it lies on.
Allocation& map_import(Driver& driver, CUctx_st& context, Allocation imported, const File& file, std::uint64_t device,
                       const FilePart& part);

// The memory has been freed: its handle opens nothing any more.
void withdraw_export(Driver& driver, const Allocation& allocation);

}  // namespace cuda_emu

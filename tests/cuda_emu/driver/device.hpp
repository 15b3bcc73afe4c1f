// An emulated device, as the application sees it.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <vector>

#include "driver/settings.hpp"

namespace cuda_emu {

struct EmulatedDevice {
  std::uint32_t number = 0;  // on the machine; CUDA_VISIBLE_DEVICES may give it another ordinal
  CUuuid uuid{};
  std::uint64_t lock = 0;  // of its kernels, among all processes
  std::uint64_t used_bytes = 0;
  CUcontext primary = nullptr;
  unsigned primary_references = 0;
  unsigned primary_flags = CU_CTX_SCHED_AUTO;
  CUmemoryPool default_pool = nullptr;
  CUmemoryPool current_pool = nullptr;
};

inline constexpr std::uint32_t kBlocksPerMultiprocessor = 2;

std::vector<EmulatedDevice> visible_devices(const Settings& settings);

// Of a name and a number, the same in every process.
std::uint64_t stable_hash(const std::string& name, std::uint64_t number);

}  // namespace cuda_emu

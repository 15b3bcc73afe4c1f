// Kernels from the libraries that CUDA_EMU_KERNELS names, and running them.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "kernel_table.h"
#include "shared/protocol.hpp"

namespace cuda_emu {

void open_kernel_libraries(const std::string& paths);  // separated by colons; what cannot be opened is said on stderr

// Its number, or -1.
int find_kernel(const std::string& name);
const cuda_emu_kernel& kernel(std::uint32_t number);

// Returns when all blocks have.
void run_kernel(const Launch& launch, std::span<const std::byte> parameters);

}  // namespace cuda_emu

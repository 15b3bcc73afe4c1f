// The compiled kernels that this library carries, to be given to cuModuleLoadData.
#pragma once

#include <cstddef>
#include <span>

namespace xylem::cuda {

// A fatbin of all kernels (cuda/kernels/kernel_list.hpp) for all architectures; empty where Xylem was built without nvcc.
std::span<const std::byte> kernel_image();

}  // namespace xylem::cuda

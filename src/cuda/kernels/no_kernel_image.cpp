#include "cuda/kernels/kernel_image.hpp"

namespace xylem::cuda {

std::span<const std::byte> kernel_image() { return {}; }

}  // namespace xylem::cuda

#include "cuda/kernels/kernel_image.hpp"

extern "C" {
// kernel_image.S
extern const std::byte xylem_kernel_image_begin[];
extern const std::byte xylem_kernel_image_end[];
}

namespace xylem::cuda {

std::span<const std::byte> kernel_image() { return {xylem_kernel_image_begin, xylem_kernel_image_end}; }

}  // namespace xylem::cuda

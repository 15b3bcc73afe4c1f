// Reductions of IEEE binary16 with the conversion instructions of x86: a block of each operand is widened to float, reduced
// there and narrowed again, all in the first-level cache.
#pragma once

#include "exec/reduce/kernel.hpp"

namespace xylem::exec {

void widen_f16c(float* out, const std::byte* halves, std::size_t count);
void narrow_f16c(std::byte* halves, const float* in, std::size_t count);

template <class Op>
struct HalfLoop {
  [[gnu::always_inline]] static void run(std::byte* out, const std::byte* left, const std::byte* right, std::size_t count) {
    constexpr std::size_t kBlock = 256;
    alignas(64) float wide_left[kBlock];
    alignas(64) float wide_right[kBlock];
    for (std::size_t done = 0; done < count; done += kBlock) {
      const std::size_t block = count - done < kBlock ? count - done : kBlock;
      const std::size_t at = done * sizeof(Half);
      widen_f16c(wide_left, left + at, block);
      widen_f16c(wide_right, right + at, block);
#pragma GCC ivdep
      for (std::size_t i = 0; i < block; ++i) wide_left[i] = Op::apply(wide_left[i], wide_right[i]);
      narrow_f16c(out + at, wide_left, block);
    }
  }
};

template <class Loop>
struct WithF16c {
  using Type = Loop;
};
template <class Op>
struct WithF16c<Loop<Op, Half>> {
  using Type = HalfLoop<Op>;
};

}  // namespace xylem::exec

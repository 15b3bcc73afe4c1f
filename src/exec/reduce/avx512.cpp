// For x86-64 CPUs with AVX-512 F, BW, DQ and VL.
#include "exec/reduce/f16c.hpp"

namespace xylem::exec {

namespace {

struct Avx512 {
  static constexpr bool kBaseline = false;

  template <class Loop>
  [[gnu::target("avx512f,avx512bw,avx512dq,avx512vl,f16c,prefer-vector-width=512")]] static void run(std::byte* out,
                                                                                                     const std::byte* left,
                                                                                                     const std::byte* right,
                                                                                                     std::size_t count) {
    WithF16c<Loop>::Type::run(out, left, right, count);
  }
};

}  // namespace

constinit const ReduceTable kAvx512Reductions = make_table<Avx512>();

}  // namespace xylem::exec

// For x86-64 CPUs with AVX2 and F16C.
#include "exec/reduce/f16c.hpp"

namespace xylem::exec {

namespace {

struct Avx2 {
  static constexpr bool kBaseline = false;

  template <class Loop>
  [[gnu::target("avx2,f16c")]] static void run(std::byte* out, const std::byte* left, const std::byte* right,
                                               std::size_t count) {
    WithF16c<Loop>::Type::run(out, left, right, count);
  }
};

}  // namespace

constinit const ReduceTable kAvx2Reductions = make_table<Avx2>();

}  // namespace xylem::exec

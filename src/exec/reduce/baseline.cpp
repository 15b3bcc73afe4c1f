// For any CPU of the architecture: SSE2 on x86-64, NEON on AArch64.
#include "exec/reduce/kernel.hpp"

namespace xylem::exec {

namespace {

struct Baseline {
  static constexpr bool kBaseline = true;

  template <class Loop>
  static void run(std::byte* out, const std::byte* left, const std::byte* right, std::size_t count) {
    Loop::run(out, left, right, count);
  }
};

}  // namespace

constinit const ReduceTable kBaselineReductions = make_table<Baseline>();

}  // namespace xylem::exec

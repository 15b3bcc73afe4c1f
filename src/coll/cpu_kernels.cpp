#include "coll/cpu_kernels.hpp"

#include "coll/algorithms.hpp"

namespace xylem::coll {

std::span<const CpuKernel> cpu_kernels() {
  static constexpr auto kernels =
      Algorithms::map([]<class A>() -> CpuKernel { return [](CpuLane& lane, const Args& args) { A::run(lane, args); }; });
  return kernels;
}

}  // namespace xylem::coll

#include "plan/catalogue.hpp"

#include "coll/algorithms.hpp"

namespace xylem::plan {

std::span<const Algorithm> catalogue() {
  static constexpr auto algorithms = coll::Algorithms::map([]<class A>() {
    return Algorithm{A::collective, A::name, A::traits, &A::cost, &coll::scratch_bytes<A>};
  });
  return algorithms;
}

}  // namespace xylem::plan

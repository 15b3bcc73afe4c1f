#include "coll/collective.hpp"

#include <array>

namespace xylem::coll {

const char* collective_name(Collective collective) {
  static constexpr std::array<const char*, kCollectives> names = {
      "allreduce", "reduce", "bcast", "allgather", "reduce_scatter_block", "barrier"};
  return names[static_cast<std::size_t>(collective)];
}

}  // namespace xylem::coll

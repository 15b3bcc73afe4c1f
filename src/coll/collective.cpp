#include "coll/collective.hpp"

namespace xylem::coll {

std::optional<Collective> find_collective(std::string_view name) {
  for (std::size_t i = 0; i < kCollectives; ++i) {
    if (name == kCollectiveFacts[i].name) return static_cast<Collective>(i);
  }
  return std::nullopt;
}

}  // namespace xylem::coll

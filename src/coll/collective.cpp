#include "coll/collective.hpp"

#include <array>

namespace xylem::coll {

namespace {

constexpr std::array<const char*, kCollectives> kNames = {"allreduce", "reduce", "bcast", "allgather", "reduce_scatter_block",
                                                          "barrier"};

}  // namespace

const char* collective_name(Collective collective) { return kNames[static_cast<std::size_t>(collective)]; }

std::optional<Collective> find_collective(std::string_view name) {
  for (std::size_t i = 0; i < kCollectives; ++i) {
    if (name == kNames[i]) return static_cast<Collective>(i);
  }
  return std::nullopt;
}

}  // namespace xylem::coll

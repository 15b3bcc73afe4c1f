// How many ranks share a core. Decides how a waiting rank behaves and what a hand-over costs.
#pragma once

#include <cstdint>
#include <span>

#include "topo/topology.hpp"

namespace xylem {

struct RankCores {
  std::uint64_t host;
  std::uint64_t machine;  // hosts of one machine share its cores: containers, network namespaces. 0: not known
  topo::CoreMask mask;
  double quota;  // of time, in cores, of the host; 0: none
};

// Ranks per core where they are most crowded, at least 1.
double ranks_per_core(std::span<const RankCores> ranks);

// The most crowded this process has been seen to be in any communicator: a communicator of two ranks is crowded too if the
// job's other ranks run on the same cores. Returns the larger of that and `seen`, and remembers it. Thread-safe.
double remember_crowding(double seen);

}  // namespace xylem

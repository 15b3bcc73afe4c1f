// How many ranks share a core. Decides how a waiting rank behaves and what a hand-over costs.
#pragma once

#include <cstdint>
#include <span>

#include "topo/topology.hpp"

namespace xylem {

// Ranks per core, at least 1, of ranks on one host with these affinity masks and the smallest of their time quotas (in cores,
// 0: none).
double ranks_per_core(std::span<const topo::CoreMask> masks, double quota);

// The most crowded this process has been seen to be in any communicator: a communicator of two ranks is crowded too if the
// job's other ranks run on the same cores. Returns the larger of that and `seen`, and remembers it. Thread-safe.
double remember_crowding(double seen);

}  // namespace xylem

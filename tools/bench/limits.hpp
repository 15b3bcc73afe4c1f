// What the machine allows, and the least time that a collective can take by it.
#pragma once

#include <cstddef>
#include <vector>

#include "coll/collective.hpp"

namespace xylem::tools {

struct Limits {
  // Bytes copied in a second.
  struct Copying {
    double one_core = 0;
    double all_cores = 0;
  };

  std::vector<int> cores;        // measured on, those that the ranks of the first host may use
  std::size_t cache_bytes = 0;   // the largest cache
  double line_seconds = 0;       // one cache line, from one core to another, one way: the nearest two
  double far_line_seconds = 0;   // the same of the two that are farthest from each other
  Copying in_cache, in_memory;   // what is copied lies in a core's own cache, or in no cache at all
  double yield_seconds = 0;      // sched_yield() with nobody else there
  double switch_seconds = 0;     // from one process to another on the same core, by sched_yield()
  double wake_seconds = 0;       // of a process asleep on another core, by a futex
  double wake_here_seconds = 0;  // of a process asleep on the same core
};

// Bytes that a call of `ranks` ranks must read and write, all together, if it reads each input once and writes each result
// once. `bytes` as CallKind has them.
std::size_t least_traffic(coll::Collective collective, std::size_t bytes, std::size_t ranks);

// The least time that a call of ranks on one host can take, as docs/performance.md explains: a cache line must cross from one
// core to another, or a core must switch between its ranks; and the bytes must move at the rate of all cores together. 0
// where nothing is known.
double least_seconds(const Limits& limits, coll::Collective collective, std::size_t bytes, std::size_t ranks);

}  // namespace xylem::tools

// What can go wrong on the data path. Nothing throws there: the first fault sticks, moves of data become no-ops and waits
// return at once, so that the straight-line algorithm runs to its end quickly and the caller reports.
#pragma once

#include "exec/platform.hpp"

namespace xylem::exec {

enum class Fault : std::uint32_t {
  none = 0,
  aborted,   // some rank raised the abort word: a peer failed or gave up
  mismatch,  // a peer's line is of another call than ours
  protocol,  // a peer's line makes no sense: a length that cannot be
  timeout,   // XYLEM_TIMEOUT has passed
};

}  // namespace xylem::exec

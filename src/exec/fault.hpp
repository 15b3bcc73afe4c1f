// What can go wrong on the data path. Nothing throws there: the first fault sticks, moves of data become no-ops and waits
// return at once, so that the straight-line algorithm runs to its end quickly and the caller reports.
#pragma once

#include <cstdint>

#include "exec/platform.hpp"

namespace xylem::exec {

enum class Fault : std::uint32_t {
  none = 0,
  aborted,      // some rank raised the abort word: a peer failed or gave up
  mismatch,     // a peer's line is of another call than ours
  protocol,     // a peer's line makes no sense: a length that cannot be
  timeout,      // XYLEM_TIMEOUT has passed
  died,         // a rank's process has ended
  unreachable,  // a rank's host is off the network
};

// A fault that came with the abort word, and so with the rank that failed.
XYLEM_HD constexpr bool is_told(Fault fault) {
  return fault == Fault::aborted || fault == Fault::died || fault == Fault::unreachable;
}

// What an abort word holds: a fault in the low byte and, above it, one more than the rank that failed; 0 where nobody knows.
XYLEM_HD constexpr std::uint32_t abort_word(Fault fault, std::uint32_t failed_rank) {
  return (failed_rank + 1) << 8 | static_cast<std::uint32_t>(fault);
}
XYLEM_HD constexpr Fault abort_fault(std::uint32_t word) { return static_cast<Fault>(word & 0xff); }
constexpr std::uint32_t abort_rank(std::uint32_t word, std::uint32_t unknown) {
  return word >> 8 != 0 ? (word >> 8) - 1 : unknown;
}

}  // namespace xylem::exec

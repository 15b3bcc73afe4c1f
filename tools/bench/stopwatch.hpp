#pragma once

#include <ctime>

namespace xylem::tools {

inline double clock_seconds(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Counts from one moment for all processes of a host.
inline double monotonic_seconds() { return clock_seconds(CLOCK_MONOTONIC); }

}  // namespace xylem::tools

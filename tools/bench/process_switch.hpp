// What it costs to give a core to another process, and to wake one.
#pragma once

#include "bench/limits.hpp"

namespace xylem::tools {

// Fills in the times of yielding, switching and waking. Throws std::runtime_error.
void probe_switches(Limits& limits);

}  // namespace xylem::tools

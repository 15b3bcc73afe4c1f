// Measures what the machine allows: on the cores themselves, without any MPI.
#pragma once

#include <vector>

#include "bench/limits.hpp"

namespace xylem::tools {

// Takes about half a second, in which the cores should have nothing else to do. Throws std::runtime_error.
Limits probe_limits(const std::vector<int>& cores);

}  // namespace xylem::tools

#pragma once

#include <string>
#include <vector>

#include "bench/record.hpp"

namespace xylem::tools {

// The lines of all runs in which Xylem is slower than a peer, the worst first.
std::string table_of_losses(const std::vector<Run>& runs);

// All lines of a run.
std::string table_of_lines(const Run& run);

// What the machine allows.
std::string table_of_limits(const Limits& limits);

}  // namespace xylem::tools

// `xylem simulate`: how long each algorithm would take on a machine that is not there.
#pragma once

#include "simulate/options.hpp"

namespace xylem::tools {

// Prints a block for each number of hosts, or a JSON object, and draws. Returns the exit status.
int run_simulate(const SimulateOptions& options);

}  // namespace xylem::tools

// Which MPI a process was started by, told from what its launcher set.
#pragma once

#include <string>

namespace xylem::tools {

// "mpich" or "openmpi", as the back ends and the benchmark programs are called; empty if no launcher started this process.
// `variable(name)` gives a variable of the environment, empty if it is not set.
std::string launched_by(std::string (*variable)(const char* name));

// This process's rank as the launcher numbered it, 0 without a launcher: for messages that one rank should print.
int launched_rank(std::string (*variable)(const char* name));

}  // namespace xylem::tools

// What `xylem bench` does with files of earlier runs.
#pragma once

#include "bench/options.hpp"

namespace xylem::tools {

// --from and --compare. Returns the exit status: 1 where something became slower, exit_usage if a file is of no use.
int run_on_files(const BenchOptions& options);

}  // namespace xylem::tools

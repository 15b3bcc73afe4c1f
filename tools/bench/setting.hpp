// Where a run takes place.
#pragma once

#include <mpi.h>

#include "bench/report.hpp"

namespace xylem::tools {

// Collective over `comm`; all facts are on rank 0 only.
Setting collect_setting(MPI_Comm comm, int argc, char** argv);

}  // namespace xylem::tools

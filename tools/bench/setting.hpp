// Where a run takes place, and on which cores.
#pragma once

#include <mpi.h>

#include <vector>

#include "bench/options.hpp"
#include "bench/record.hpp"

namespace xylem::tools {

// The MPI of this program: "mpich" or "openmpi", and what it calls itself.
const char* mpi_name();
std::string mpi_version();

// Collective over `comm`; all facts are on rank 0 only.
Setting collect_setting(MPI_Comm comm, const BenchOptions& options, const std::vector<std::string>& command);

// Collective over `comm`. On rank 0: the cores that the ranks of its host may use, not more than there are such ranks.
std::vector<int> cores_in_use(MPI_Comm comm);

}  // namespace xylem::tools

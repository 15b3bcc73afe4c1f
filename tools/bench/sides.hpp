// The two sides that are compared: what the program calls, which is Xylem where it is preloaded, and the MPI below.
#pragma once

#include <mpi.h>

#include <string>

namespace xylem::tools {

// One side's entry points.
struct Calls {
  decltype(&MPI_Allreduce) allreduce;
  decltype(&MPI_Reduce) reduce;
  decltype(&MPI_Bcast) bcast;
  decltype(&MPI_Allgather) allgather;
  decltype(&MPI_Allgatherv) allgatherv;
  decltype(&MPI_Reduce_scatter) reduce_scatter;
  decltype(&MPI_Reduce_scatter_block) reduce_scatter_block;
  decltype(&MPI_Alltoall) alltoall;
  decltype(&MPI_Alltoallv) alltoallv;
  decltype(&MPI_Alltoallw) alltoallw;
  decltype(&MPI_Gather) gather;
  decltype(&MPI_Gatherv) gatherv;
  decltype(&MPI_Scatter) scatter;
  decltype(&MPI_Scatterv) scatterv;
  decltype(&MPI_Scan) scan;
  decltype(&MPI_Exscan) exscan;
  decltype(&MPI_Barrier) barrier;
};

// What any program gets that calls MPI_Allreduce and so on.
Calls program_calls();

// The functions of libmpi itself. They are looked up in libmpi's own handle: the preload library exports PMPI_ names too.
// Throws std::runtime_error.
Calls mpi_calls();

// Whether program_calls() lead into a preloaded Xylem.
bool xylem_is_preloaded();

// The statistics of Xylem's core in this process as JSON; empty if it is not loaded.
std::string xylem_core_statistics();

}  // namespace xylem::tools

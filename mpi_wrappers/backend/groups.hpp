// Groups of processes, compared. Local.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <vector>

namespace xylem::preload {

// Whether all processes of `some` are in `all`.
inline bool lies_within(MPI_Group some, MPI_Group all) {
  int size = 0;
  PMPI_Group_size(some, &size);
  std::vector<int> ranks(static_cast<std::size_t>(size)), ranks_in_all(ranks.size());
  for (int rank = 0; rank < size; ++rank) ranks[static_cast<std::size_t>(rank)] = rank;
  PMPI_Group_translate_ranks(some, size, ranks.data(), all, ranks_in_all.data());
  for (const int rank : ranks_in_all)
    if (rank == MPI_UNDEFINED) return false;
  return true;
}

// The group of an intercommunicator is its local one.
inline bool lies_within_group_of(MPI_Group some, MPI_Comm comm) {
  MPI_Group all;
  PMPI_Comm_group(comm, &all);
  const bool lies = lies_within(some, all);
  PMPI_Group_free(&all);
  return lies;
}

}  // namespace xylem::preload

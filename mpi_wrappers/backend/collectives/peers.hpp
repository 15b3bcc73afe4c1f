// Who takes part in a call, as far as the meaning of its buffers depends on that.
#pragma once

#include <mpi.h>

#include "backend/communicators.hpp"

namespace xylem::preload {

struct Peers {
  int rank = 0;
  int size = 0;   // of the own group
  int peers = 0;  // ranks that this one exchanges blocks with: of the other group, where there is one
  bool is_root = false;

  // Of a communicator that Xylem runs. `root` is MPI_PROC_NULL in calls that have none.
  static Peers of(const Communicator& comm, int root) { return {comm.rank, comm.size, comm.size, comm.rank == root}; }

  // As the MPI knows them.
  static Peers ask(MPI_Comm comm, int root) {
    Peers found;
    int is_inter = 0;
    PMPI_Comm_test_inter(comm, &is_inter);
    PMPI_Comm_rank(comm, &found.rank);
    PMPI_Comm_size(comm, &found.size);
    found.peers = found.size;
    if (is_inter != 0) PMPI_Comm_remote_size(comm, &found.peers);
    found.is_root = is_inter != 0 ? root == MPI_ROOT : root == found.rank;
    return found;
  }
};

// The root that some arguments name.
template <class Arguments>
int root_of(const Arguments& arguments) {
  if constexpr (requires { arguments.root; })
    return arguments.root;
  else
    return MPI_PROC_NULL;
}

// Whether this is a rank, where there has to be one.
template <class Arguments>
bool has_root(const Arguments& arguments, const Peers& peers) {
  if constexpr (requires { arguments.root; })
    return arguments.root >= 0 && arguments.root < peers.size;
  else
    return true;
}

}  // namespace xylem::preload

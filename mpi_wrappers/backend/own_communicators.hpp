// Three communicators that the program never sees. Errors on them come back as codes.
#pragma once

#include <mpi.h>

namespace xylem::preload {

struct OwnCommunicators {
  // A dup of MPI_COMM_WORLD on which nobody ever sends: a probe finds nothing and so goes through all of the MPI's progress.
  MPI_Comm world = MPI_COMM_NULL;
  // A dup of MPI_COMM_SELF, for copies from one datatype to another by a message to oneself, and for questions whose answer
  // may be an error.
  MPI_Comm self = MPI_COMM_NULL;
  // Another one, for the messages that complete requests (backend/requests/collective_request.hpp).
  MPI_Comm requests = MPI_COMM_NULL;
};

const OwnCommunicators& own_communicators();

// Collective over MPI_COMM_WORLD; called in MPI_Init and MPI_Finalize.
void make_own_communicators();
void free_own_communicators();

}  // namespace xylem::preload

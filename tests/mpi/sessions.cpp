// Sessions (MPI-4): a program that never calls MPI_Init, whose collectives the MPI runs; and one that has both, whose
// communicators from the session run on Xylem.
//
// usage: sessions alone | both
#include <mpi.h>

#include <cstdio>
#include <string>
#include <vector>

#include "support/persistent.hpp"

namespace {

int failures = 0;

void use(MPI_Comm comm, const char* where) {
  int rank = 0, size = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  std::vector<int> in(3000, rank), out(in.size(), -1), later(in.size(), -1), again(in.size(), -1);
  MPI_Request requests[2];
  MPI_Iallreduce(in.data(), later.data(), 3000, MPI_INT, MPI_SUM, comm, &requests[0]);
  XYLEM_MPI_INIT(Allreduce)(in.data(), again.data(), 3000, MPI_INT, MPI_MAX, comm, MPI_INFO_NULL, &requests[1]);
  MPI_Start(&requests[1]);
  MPI_Allreduce(in.data(), out.data(), 3000, MPI_INT, MPI_SUM, comm);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Request_free(&requests[1]);
  int from_last = rank;
  MPI_Bcast(&from_last, 1, MPI_INT, size - 1, comm);
  const std::vector<int> sums(in.size(), size * (size - 1) / 2), largest(in.size(), size - 1);
  if (out == sums && later == sums && again == largest && from_last == size - 1) return;
  ++failures;
  std::printf("FAILED: %s: wrong results on rank %d of %d\n", where, rank, size);
}

// Communicators of a process set, as a library would make them for itself.
void in_session(MPI_Session session) {
  MPI_Group all = MPI_GROUP_NULL;
  MPI_Comm comm = MPI_COMM_NULL, half = MPI_COMM_NULL, copy = MPI_COMM_NULL;
  MPI_Group_from_session_pset(session, "mpi://WORLD", &all);
  MPI_Comm_create_from_group(all, "test.sessions", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
  MPI_Group_free(&all);
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  use(comm, "from a group");
  MPI_Comm_split(comm, rank % 2, -rank, &half);
  use(half, "half of it");
  MPI_Comm_dup(half, &copy);
  use(copy, "a dup of the half");
  use(comm, "from a group, again");
  for (MPI_Comm* each : {&copy, &comm, &half}) MPI_Comm_free(each);
}

}  // namespace

int main(int argc, char** argv) {
  const bool both = argc > 1 && std::string(argv[1]) == "both";
  MPI_Session session = MPI_SESSION_NULL;
  if (both) MPI_Init(&argc, &argv);
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
  in_session(session);
  if (both) use(MPI_COMM_WORLD, "the world");
  MPI_Session_finalize(&session);
  if (both) MPI_Finalize();
  return failures == 0 ? 0 : 1;
}

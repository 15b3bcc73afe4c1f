// A profiling tool of the PMPI kind: counts the program's calls and tells at the end.
#include <mpi.h>
#include <stdio.h>

static int allreduces, bcasts, dups;

int MPI_Allreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  ++allreduces;
  return PMPI_Allreduce(sendbuf, recvbuf, count, datatype, op, comm);
}

int MPI_Bcast(void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm) {
  ++bcasts;
  return PMPI_Bcast(buffer, count, datatype, root, comm);
}

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* new_comm) {
  ++dups;
  return PMPI_Comm_dup(comm, new_comm);
}

int MPI_Finalize(void) {
  int rank;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) printf("tool saw %d allreduce, %d bcast, %d dup\n", allreduces, bcasts, dups);
  fflush(stdout);
  return PMPI_Finalize();
}

// Rank 0 prints the sum of 1 ... ranks, by an operation of its own and by the MPI's.
#include <mpi.h>
#include <stdio.h>

static void add(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *count; i++) ((int*)inout)[i] += ((int*)in)[i];
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ours = 0, theirs = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int mine = rank + 1;
  MPI_Op op;
  MPI_Op_create(add, 1, &op);
  MPI_Allreduce(&mine, &ours, 1, MPI_INT, op, MPI_COMM_WORLD);
  MPI_Op_free(&op);
  MPI_Allreduce(&mine, &theirs, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("sums %d %d\n", ours, theirs);
  MPI_Finalize();
  return ours != theirs;
}

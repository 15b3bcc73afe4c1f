// Rank 0 prints the sum of 1 ... ranks, after a few other collectives, on a communicator of its own too.
// With PLUGIN defined this is a library that a program loads and whose run() it calls.
#include <mpi.h>
#include <stdio.h>

#ifdef PLUGIN
int run(int argc, char** argv)
#else
int main(int argc, char** argv)
#endif
{
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm dup;
  MPI_Comm_dup(MPI_COMM_WORLD, &dup);
  int mine = rank + 1, sum = 0;
  MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, dup);
  MPI_Barrier(dup);
  MPI_Comm_free(&dup);
  int sum_of_root = rank == ranks - 1 ? sum : -1;
  MPI_Bcast(&sum_of_root, 1, MPI_INT, ranks - 1, MPI_COMM_WORLD);
  if (rank == 0) printf("sum %d\n", sum_of_root);
  MPI_Finalize();
  return sum_of_root != ranks * (ranks + 1) / 2;
}

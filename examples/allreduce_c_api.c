/*
 * The C API instead of the preload: an MPI program makes a Xylem communicator from MPI_COMM_WORLD and calls Xylem itself.
 *
 *   mpirun -n 4 ./allreduce_c_api
 */
#include <stdio.h>
#include <stdlib.h>

#include "xylem/xylem_mpi.h"

/* Every function of Xylem returns a status; the text says what failed, on which rank and host. */
static void check(xylem_status status, const char* call) {
  if (status == XYLEM_SUCCESS) return;
  fprintf(stderr, "%s: %s: %s\n", call, xylem_status_string(status), xylem_last_error());
  MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);

  xylem_comm_t comm;
  check(xylem_comm_create_mpi(&comm, MPI_COMM_WORLD), "xylem_comm_create_mpi");
  int rank, size;
  check(xylem_comm_rank(comm, &rank), "xylem_comm_rank");
  check(xylem_comm_size(comm, &size), "xylem_comm_size");

  /* The sum over all ranks of i + rank, for each i. XYLEM_STREAM_NONE: the call returns when the result is there. */
  enum { count = 100000 };
  double* values = malloc(count * sizeof(double));
  for (int i = 0; i < count; i++) values[i] = i + rank;
  check(xylem_allreduce(XYLEM_IN_PLACE, values, count, XYLEM_DOUBLE, XYLEM_SUM, comm, XYLEM_STREAM_NONE), "xylem_allreduce");

  int wrong = 0;
  for (int i = 0; i < count; i++) wrong += values[i] != (double)size * i + size * (size - 1) / 2.0;
  free(values);

  /* A communicator of the even and one of the odd ranks. */
  xylem_comm_t half;
  check(xylem_comm_split(comm, rank % 2, rank, &half), "xylem_comm_split");
  int root_rank = rank;
  check(xylem_bcast(&root_rank, 1, XYLEM_INT32, 0, half, XYLEM_STREAM_NONE), "xylem_bcast");
  wrong += root_rank != rank % 2;
  check(xylem_comm_destroy(half), "xylem_comm_destroy");

  check(xylem_barrier(comm, XYLEM_STREAM_NONE), "xylem_barrier");
  check(xylem_comm_destroy(comm), "xylem_comm_destroy");
  if (wrong != 0) fprintf(stderr, "rank %d: %d wrong results\n", rank, wrong);
  if (rank == 0) printf("Xylem %s, %d ranks: done\n", xylem_version(), size);
  MPI_Finalize();
  return wrong == 0 ? 0 : 1;
}

// Ranks that make one communicator in different sources of the program.
#include <mpi.h>

#include "support/verdict.hpp"
#include "xylem/xylem_mpi.h"

xylem_status create_in_other_source(xylem_comm_t* comm, MPI_Comm mpi_comm);

int main(int argc, char** argv) {
  using namespace xylem::test;
  MPI_Init(&argc, &argv);
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  Verdict verdict;
  xylem_comm_t first = nullptr, second = nullptr;
  const xylem_status made[] = {
      xylem_comm_create_mpi(&first, MPI_COMM_WORLD),
      rank == 0 ? xylem_comm_create_mpi(&second, MPI_COMM_WORLD) : create_in_other_source(&second, MPI_COMM_WORLD)};
  verdict.check(made[0] == XYLEM_SUCCESS && made[1] == XYLEM_SUCCESS, [] { return xylem_last_error(); });
  for (xylem_comm_t comm : {first, second}) {
    int own = rank, total = -1;
    const xylem_status status = xylem_allreduce(&own, &total, 1, XYLEM_INT32, XYLEM_SUM, comm, XYLEM_STREAM_NONE);
    verdict.check(status == XYLEM_SUCCESS && total == size * (size - 1) / 2, [] { return "a wrong sum"; });
    xylem_comm_destroy(comm);
  }
  const int code = verdict.finish("c_api_sources");
  MPI_Finalize();
  return code;
}

// XYLEM_COLLECTIVES: rank 0's word counts for all, in all forms of a collective; every result is right whoever runs the call.
//
// usage: selection NAMES    what rank 0 asks for; the other ranks ask for barrier alone
#include <mpi.h>

#include <cstdlib>
#include <vector>

#include "support/verdict.hpp"

using namespace xylem::test;

int main(int argc, char** argv) {
  const char* started_as = std::getenv("PMI_RANK");
  if (started_as == nullptr) started_as = std::getenv("OMPI_COMM_WORLD_RANK");
  const bool first = started_as == nullptr || std::atoi(started_as) == 0;
  setenv("XYLEM_COLLECTIVES", first ? argv[1] : "barrier", 1);
  MPI_Init(&argc, &argv);
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  Verdict verdict;
  const auto ranks = static_cast<std::size_t>(size);
  for (int turn = 0; turn < 20; ++turn) {
    const int own = rank + turn, total = size * (size - 1) / 2 + size * turn;
    int sum = -1, later_sum = -1, data = rank == size - 1 ? own : -1;
    std::vector<int> all(ranks, -1), turned(ranks, -1);
    MPI_Request request;
    MPI_Allreduce(&own, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Iallreduce(&own, &later_sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    MPI_Bcast(&data, 1, MPI_INT, size - 1, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Allgather(&own, 1, MPI_INT, all.data(), 1, MPI_INT, MPI_COMM_WORLD);
    MPI_Ialltoall(all.data(), 1, MPI_INT, turned.data(), 1, MPI_INT, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    verdict.check(sum == total && later_sum == total, [] { return "a wrong sum"; });
    verdict.check(data == size - 1 + turn, [] { return "wrong data from the last rank"; });
    for (int r = 0; r < size; ++r) {
      const auto i = static_cast<std::size_t>(r);
      verdict.check(all[i] == r + turn && turned[i] == own, [] { return "a wrong block"; });
    }
  }
  const int code = verdict.finish("selection");
  MPI_Finalize();
  return code;
}

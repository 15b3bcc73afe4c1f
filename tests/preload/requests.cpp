// Rank 0 prints the sums of 1 ... ranks that collectives with requests gave, and how often it asked whether one had ended.
#include <mpi.h>

#include <array>
#include <cstdio>

#include "support/persistent.hpp"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int mine = rank + 1;
  std::array<int, 6> sums{};
  int tests = 0;

  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(&mine, &sums[0], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);

  MPI_Iallreduce(&mine, &sums[1], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
  for (int ended = 0; ended == 0; ++tests) MPI_Test(&request, &ended, MPI_STATUS_IGNORE);

  std::array<MPI_Request, 2> both{};
  for (std::size_t i = 0; i < both.size(); ++i)
    MPI_Iallreduce(&mine, &sums[2 + i], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &both[i]);
  MPI_Waitall(static_cast<int>(both.size()), both.data(), MPI_STATUSES_IGNORE);

  for (std::size_t i = 4; i < sums.size(); ++i) {
    XYLEM_MPI_INIT(Allreduce)(&mine, &sums[i], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
  }

  if (rank == 0) {
    std::printf("sums");
    for (const int sum : sums) std::printf(" %d", sum);
    std::printf(", %d tests\n", tests);
    std::fflush(stdout);
  }
  MPI_Finalize();
  return request == MPI_REQUEST_NULL ? 0 : 1;
}

// No rank returns from MPI_Barrier before all have called it: on one machine all ranks read one clock. Each rank is the late
// one in turn.
#include <mpi.h>
#include <time.h>
#include <unistd.h>

#include <string>

#include "support/verdict.hpp"

using namespace xylem::test;

namespace {

long long nanoseconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  Verdict verdict;
  for (int round = 0; round < 20; ++round) {
    const int late = round % size;
    if (rank == late) usleep(2000);
    long long times[2] = {nanoseconds(), 0};
    MPI_Barrier(MPI_COMM_WORLD);
    times[1] = nanoseconds();
    if (rank != late) {
      MPI_Send(times, 2, MPI_LONG_LONG, late, round, MPI_COMM_WORLD);
      continue;
    }
    for (int from = 0; from < size; ++from) {
      if (from == rank) continue;
      long long theirs[2];
      MPI_Recv(theirs, 2, MPI_LONG_LONG, from, round, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      verdict.check(theirs[1] >= times[0], [&] {
        return "round " + std::to_string(round) + ": rank " + std::to_string(from) + " left " +
               std::to_string(times[0] - theirs[1]) + " ns before rank " + std::to_string(rank) + " came";
      });
    }
  }
  const int code = verdict.finish("barrier");
  MPI_Finalize();
  return code;
}

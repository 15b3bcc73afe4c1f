// One rank ends with SIGKILL in the middle of collectives; with the argument "abort" by MPI_Abort.
#include <mpi.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <vector>

namespace {

constexpr int kLost = 1;

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const bool aborts = argc > 1 && std::strcmp(argv[1], "abort") == 0;
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  std::vector<double> in(1000, 1), out(in.size(), ranks);
  for (int round = 0; out.back() == ranks; ++round) {
    if (round == 200 && rank == kLost && aborts) MPI_Abort(MPI_COMM_WORLD, 3);
    if (round == 200 && rank == kLost) kill(getpid(), SIGKILL);
    MPI_Allreduce(in.data(), out.data(), static_cast<int>(in.size()), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
}

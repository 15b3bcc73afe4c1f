// One rank ends with SIGKILL in the middle of collectives.
#include <mpi.h>
#include <unistd.h>

#include <csignal>
#include <vector>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  std::vector<double> in(1000, 1), out(in.size(), ranks);
  for (int round = 0; out.back() == ranks; ++round) {
    if (round == 200 && rank == 1) kill(getpid(), SIGKILL);
    MPI_Allreduce(in.data(), out.data(), static_cast<int>(in.size()), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
}

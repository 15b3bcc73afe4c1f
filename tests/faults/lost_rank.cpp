// One rank ends with SIGKILL in the middle of collectives. With the argument "go-on" the others take the error that this
// brings, and exchange messages without it. With "abort" it ends in MPI_Abort.
#include <mpi.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstring>
#include <vector>

namespace {

constexpr int kLost = 1;

// What a rank sends to the other of three that is left.
void go_on(int rank, int error) {
  int error_class = MPI_SUCCESS;
  MPI_Error_class(error, &error_class);
  const int other = 2 - rank, sent = rank + 10;
  int received = -1;
  MPI_Sendrecv(&sent, 1, MPI_INT, other, 5, &received, 1, MPI_INT, other, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  std::printf("rank %d goes on: error %s, received %d\n", rank, error_class == MPI_SUCCESS ? "none" : "returned", received);
  std::fflush(stdout);
  _exit(0);  // MPI_Finalize would wait for the rank that is gone
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const bool goes_on = argc > 1 && std::strcmp(argv[1], "go-on") == 0;
  const bool aborts = argc > 1 && std::strcmp(argv[1], "abort") == 0;
  if (goes_on) MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  std::vector<double> in(1000, 1), out(in.size(), ranks);
  for (int round = 0; out.back() == ranks; ++round) {
    if (round == 200 && rank == kLost && aborts) MPI_Abort(MPI_COMM_WORLD, 3);
    if (round == 200 && rank == kLost) kill(getpid(), SIGKILL);
    const int error = MPI_Allreduce(in.data(), out.data(), static_cast<int>(in.size()), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (error != MPI_SUCCESS && goes_on) go_on(rank, error);
  }
}

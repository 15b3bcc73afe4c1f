// Collectives of all sizes for ever, on several communicators: a job to be killed. Prints a line when it is in full swing.
// With the argument "return" a rank whose call fails sits and waits to be killed, and so does not end the other ranks' lives.
// With "signal" it handles SIGUSR1 itself, too.
#include <mpi.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstring>
#include <vector>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc > 1 && std::strcmp(argv[1], "signal") == 0) {
    std::signal(SIGUSR1, [](int) {
      constexpr char text[] = "the program's own handler\n";
      [[maybe_unused]] const ssize_t written = write(STDOUT_FILENO, text, sizeof text - 1);
    });
  }
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm comms[3];
  for (MPI_Comm& comm : comms) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    if (argc > 1) MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  }
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  std::vector<double> in(1 << 20, 1), out(in.size());
  const int block = (1 << 20) / size;
  for (long round = 0;; ++round) {
    for (MPI_Comm comm : comms) {
      for (int count : {1, 1000, 1 << 20})
        while (MPI_Allreduce(in.data(), out.data(), count, MPI_DOUBLE, MPI_SUM, comm) != MPI_SUCCESS) pause();
      while (MPI_Alltoall(in.data(), block, MPI_DOUBLE, out.data(), block, MPI_DOUBLE, comm) != MPI_SUCCESS) pause();
    }
    if (round == 1 && rank == 0) {
      std::puts("running");
      std::fflush(stdout);
    }
  }
}

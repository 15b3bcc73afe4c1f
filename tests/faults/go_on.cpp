// One rank ends with SIGKILL in the middle of collectives. With the argument "return" the others get an error, say so, and go
// on with messages among themselves; else MPI's own way of ending a job takes its course. They say so in a file, the second
// argument: mpirun may be gone by then, and its pipes with it.
#include <mpi.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <string>
#include <vector>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc > 1 && std::string(argv[1]) == "return") MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  // The MPI connects ranks with the help of its mpirun, which has other worries later.
  if (rank != 1) MPI_Sendrecv_replace(&ranks, 1, MPI_INT, 2 - rank, 0, 2 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  std::vector<double> in(1000, 1), out(in.size());
  int code = MPI_SUCCESS;
  for (int round = 0; code == MPI_SUCCESS; ++round) {
    if (round == 200 && rank == 1) kill(getpid(), SIGKILL);
    code = MPI_Allreduce(in.data(), out.data(), static_cast<int>(in.size()), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (code == MPI_SUCCESS && out.back() != ranks) return 1;
  }
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(code, text, &length);
  std::FILE* const file = std::fopen(argc > 2 ? argv[2] : "/dev/null", "a");
  if (file == nullptr) return 1;
  // Rank 0 and rank 2 talk to each other.
  int token = 0;
  if (rank == 0) {
    MPI_Recv(&token, 1, MPI_INT, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    std::fprintf(file, "rank 0 goes on with token %d after: %s\n", token, text);
  } else {
    token = 42;
    MPI_Send(&token, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    std::fprintf(file, "rank %d goes on after: %s\n", rank, text);
  }
  std::fclose(file);
  sleep(1);  // rank 0 may not have the message yet
  _exit(0);  // MPI_Finalize would wait for who is not there any more
}

// Worlds that programs spawn: what has processes of both worlds is left to the MPI, on both sides; the collectives within
// each world run on Xylem.
#include <mpi.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "support/verdict.hpp"

using namespace xylem::test;

namespace {

constexpr int children = 2;
Verdict verdict;

void use(MPI_Comm comm, const char* where) {
  int rank = 0, size = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  std::vector<int> in(5000, rank), out(in.size(), -1), later(in.size(), -1);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(in.data(), later.data(), 5000, MPI_INT, MPI_SUM, comm, &request);
  MPI_Allreduce(in.data(), out.data(), 5000, MPI_INT, MPI_SUM, comm);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  int from_last = rank;
  MPI_Bcast(&from_last, 1, MPI_INT, size - 1, comm);
  MPI_Barrier(comm);
  const std::vector<int> wanted(in.size(), size * (size - 1) / 2);
  verdict.check(out == wanted && later == wanted && from_last == size - 1,
                [&] { return std::string(where) + ": wrong results on " + std::to_string(size) + " ranks"; });
}

// The sum of what the other side sends.
void use_both(MPI_Comm inter, const char* where) {
  int others = 0, sum = 0;
  const int one = 1;
  MPI_Comm_remote_size(inter, &others);
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, inter);
  MPI_Barrier(inter);
  verdict.check(sum == others, [&] { return std::string(where) + ": wrong sum"; });
}

// Starts this program again. The launcher gives children its own environment, and Xylem is preloaded in ours only.
MPI_Comm spawn(char* program) {
  const char* const preloaded = std::getenv("LD_PRELOAD");
  std::string setting = "LD_PRELOAD=" + std::string(preloaded != nullptr ? preloaded : "");
  char* arguments[] = {setting.data(), program, nullptr};
  MPI_Comm inter = MPI_COMM_NULL;
  MPI_Comm_spawn("env", arguments, children, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter, MPI_ERRCODES_IGNORE);
  return inter;
}

// Both sides call this.
int together(MPI_Comm inter, bool parent) {
  use_both(inter, "between the worlds");
  MPI_Comm all = MPI_COMM_NULL, half = MPI_COMM_NULL, mixed = MPI_COMM_NULL, copy = MPI_COMM_NULL;
  MPI_Intercomm_merge(inter, parent ? 0 : 1, &all);
  use(all, "both worlds");
  int rank = 0;
  MPI_Comm_rank(all, &rank);
  MPI_Comm_split(all, parent ? 0 : 1, rank, &half);
  use(half, "one world, from both");
  MPI_Comm_split(all, rank == 0 ? 1 : 0, -rank, &mixed);
  use(mixed, "parts of both worlds");
  MPI_Comm_dup(all, &copy);
  use(copy, "a dup of both worlds");
  use(MPI_COMM_WORLD, "the own world");
  const int code = verdict.finish("spawned");
  for (MPI_Comm* comm : {&all, &half, &mixed, &copy}) MPI_Comm_free(comm);
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  use(MPI_COMM_WORLD, "the own world, alone");
  MPI_Comm inter = MPI_COMM_NULL;
  MPI_Comm_get_parent(&inter);
  const bool parent = inter == MPI_COMM_NULL;
  if (parent) inter = spawn(argv[0]);
  const int code = together(inter, parent);
  MPI_Comm_disconnect(&inter);
  use(MPI_COMM_WORLD, "the own world, afterwards");
  MPI_Finalize();
  return verdict.failures() == 0 ? code : 1;
}

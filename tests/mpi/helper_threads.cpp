// In a program that has asked for no threads, Xylem's threads call no function of the MPI, also while nonblocking collectives
// go on beside a rank that computes, and they take none of the program's signals.
#include <dirent.h>
#include <dlfcn.h>
#include <mpi.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "support/persistent.hpp"
#include "support/verdict.hpp"

using namespace xylem::test;

namespace {

std::atomic<long> calls{0};
std::atomic<long> calls_of_others{0};

template <class Function>
Function* next(Function* /*ours*/, const char* name) {
  ++calls;
  if (gettid() != getpid()) ++calls_of_others;
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

// What Xylem calls while it waits, and to complete requests: the program's own definitions come before the MPI's.
#define XYLEM_SHOWN [[gnu::visibility("default")]]
extern "C" {
XYLEM_SHOWN int PMPI_Iprobe(int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status) {
  return next(&PMPI_Iprobe, "PMPI_Iprobe")(source, tag, comm, flag, status);
}
XYLEM_SHOWN int PMPI_Send(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  return next(&PMPI_Send, "PMPI_Send")(buffer, count, type, to, tag, comm);
}
XYLEM_SHOWN int PMPI_Irecv(void* buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                           MPI_Request* request) {
  return next(&PMPI_Irecv, "PMPI_Irecv")(buffer, count, type, from, tag, comm, request);
}
}

namespace {

std::set<int> threads() {
  std::set<int> found;
  DIR* const folder = opendir("/proc/self/task");
  while (const dirent* const entry = readdir(folder))
    if (entry->d_name[0] != '.') found.insert(std::stoi(entry->d_name));
  closedir(folder);
  return found;
}

struct Thread {
  std::string name;
  unsigned long long blocked = 0;  // signals, from the lowest bit
};

Thread look_at(int thread) {
  Thread it;
  std::ifstream file("/proc/self/task/" + std::to_string(thread) + "/status");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("Name:\t")) it.name = line.substr(6);
    if (line.starts_with("SigBlk:\t")) it.blocked = std::stoull(line.substr(8), nullptr, 16);
  }
  return it;
}

constexpr unsigned long long mask_of(int signal) { return 1ull << (signal - 1); }
// SIGKILL and SIGSTOP cannot be blocked, and the two that the C library keeps for itself are not.
constexpr unsigned long long all_signals = ~(mask_of(SIGKILL) | mask_of(SIGSTOP) | mask_of(32) | mask_of(33));

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  Verdict verdict;
  MPI_Comm other = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &other);
  const std::set<int> before = threads();
  const int elements = 50000;
  std::vector<int> in(elements, rank), out(elements, -1), again(elements, -1);
  int same = 1, sum = 0;
  MPI_Request persistent = MPI_REQUEST_NULL;
  XYLEM_MPI_INIT(Allreduce)(in.data(), again.data(), elements, MPI_INT, MPI_MAX, other, MPI_INFO_NULL, &persistent);
  std::set<int> seen;
  for (int round = 0; round < 10; ++round) {
    MPI_Request requests[3];
    MPI_Start(&persistent);
    requests[2] = persistent;
    MPI_Iallreduce(in.data(), out.data(), elements, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[0]);
    MPI_Iallreduce(&same, &sum, 1, MPI_INT, MPI_SUM, other, &requests[1]);
    if (rank == round % size) usleep(20000);  // computes, and the helper goes on
    seen.merge(threads());
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    MPI_Barrier(other);
    const bool good = out == std::vector<int>(out.size(), size * (size - 1) / 2) &&
                      again == std::vector<int>(again.size(), size - 1) && sum == size;
    verdict.check(good, [] { return "wrong results"; });
  }
  MPI_Request_free(&persistent);
  verdict.check(calls > 0, [] { return "no call of the MPI was seen"; });
  verdict.check(calls_of_others == 0, [] {
    return std::to_string(calls_of_others) + " calls of the MPI by threads that the program has not made";
  });
  bool helper = size == 1;
  seen.merge(threads());
  for (const int thread : seen) {
    const Thread it = look_at(thread);
    const bool ours = it.name.starts_with("xylem");
    helper = helper || ours;
    if (!ours && (before.contains(thread) || it.name.empty())) continue;  // the program's, or the MPI's, or ended
    verdict.check((it.blocked & all_signals) == all_signals, [&] { return "thread " + it.name + " takes signals"; });
  }
  verdict.check(helper, [] { return "no helper thread was seen"; });
  MPI_Comm_free(&other);
  const int code = verdict.finish("helper_threads");
  MPI_Finalize();
  return code;
}

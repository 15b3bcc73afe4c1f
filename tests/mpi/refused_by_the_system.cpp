// Containers forbid a process to read another one's memory or to hold its descriptor: here all ranks, or the last one only,
// or the last one when it has done so for a while.
//
// usage: refused_by_the_system all|last|late
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <mpi.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "support/verdict.hpp"

using namespace xylem::test;

namespace {

// For this process, from now on. False: the system has no such filters.
bool forbid() {
  sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 4, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_writev, 3, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pidfd_open, 2, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pidfd_getfd, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
  };
  const sock_fprog program = {static_cast<unsigned short>(std::size(filter)), filter};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0 &&
         syscall(SYS_process_vm_readv, 0, nullptr, 0, nullptr, 0, 0) == -1 && errno == EPERM;
}

// What the launcher says of the job before MPI_Init.
int from_launcher(const char* mpich, const char* openmpi) {
  const char* text = std::getenv(mpich);
  if (text == nullptr) text = std::getenv(openmpi);
  return text == nullptr ? 0 : std::atoi(text);
}

void exchange(Verdict& verdict, int length) {
  const MPI_Comm comm = MPI_COMM_WORLD;
  int rank = 0, size = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  const auto n = static_cast<std::size_t>(length);
  std::vector<int> sent(n * static_cast<std::size_t>(size)), received(sent.size()), wanted(sent.size());
  std::iota(sent.begin(), sent.end(), 1'000'000 * rank);
  const auto check = [&](const char* name) {
    verdict.check(received == wanted, [&] { return std::string(name) + " of " + std::to_string(length) + ": wrong data"; });
  };

  for (std::size_t i = 0; i < wanted.size(); ++i)
    wanted[i] = 1'000'000 * (size * (size - 1) / 2) + size * static_cast<int>(i);
  MPI_Allreduce(sent.data(), received.data(), length * size, MPI_INT, MPI_SUM, comm);
  check("Allreduce");
  for (std::size_t i = 0; i < wanted.size(); ++i) wanted[i] = 1'000'000 * static_cast<int>(i / n) + static_cast<int>(i % n);
  MPI_Allgather(sent.data(), length, MPI_INT, received.data(), length, MPI_INT, comm);
  check("Allgather");
  for (std::size_t i = 0; i < wanted.size(); ++i)
    wanted[i] = 1'000'000 * static_cast<int>(i / n) + rank * length + static_cast<int>(i % n);
  MPI_Alltoall(sent.data(), length, MPI_INT, received.data(), length, MPI_INT, comm);
  check("Alltoall");
  const auto own = received.begin() + rank * length;  // of what comes in place
  std::copy_n(sent.begin() + rank * length, length, own);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const int from = static_cast<int>(i / n);
    wanted[i] = 1'000'000 * from + from * length + static_cast<int>(i % n);
  }
  const int last = size - 1;
  if (rank == last)
    MPI_Gather(MPI_IN_PLACE, length, MPI_INT, received.data(), length, MPI_INT, last, comm);
  else
    MPI_Gather(&*own, length, MPI_INT, nullptr, length, MPI_INT, last, comm);
  if (rank == last) check("Gather");
  wanted.assign(sent.begin(), sent.end());
  std::iota(wanted.begin() + rank * length, wanted.begin() + (rank + 1) * length, 2'000'000 + rank * length);
  received = sent;
  std::vector<int> scattered(rank == 0 ? sent.size() : 0);
  std::iota(scattered.begin(), scattered.end(), 2'000'000);
  MPI_Scatter(scattered.data(), length, MPI_INT, received.data() + rank * length, length, MPI_INT, 0, comm);
  check("Scatter");
  for (int root = 0; root < size; ++root) {
    std::iota(wanted.begin(), wanted.end(), 1'000'000 * root);
    received = sent;
    MPI_Bcast(received.data(), length * size, MPI_INT, root, comm);
    check("Bcast");
  }
}

}  // namespace

int main(int argc, char** argv) {
  Verdict verdict;
  const std::string_view who = argc == 2 ? argv[1] : "all";
  const bool is_last =
      from_launcher("PMI_RANK", "OMPI_COMM_WORLD_RANK") == from_launcher("PMI_SIZE", "OMPI_COMM_WORLD_SIZE") - 1;
  const auto forbid_here = [&] { verdict.check(forbid(), [] { return "the system lets itself not be told to refuse"; }); };
  if (who == "all" || (who == "last" && is_last)) forbid_here();
  MPI_Init(&argc, &argv);
  if (who == "late") {
    exchange(verdict, 100'000);
    if (is_last) forbid_here();
  }
  for (const int length : {1, 1000, 100'000}) exchange(verdict, length);
  const int code = verdict.finish("refused_by_the_system");
  MPI_Finalize();
  return code;
}

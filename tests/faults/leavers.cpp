// Processes that end in ways that are no failure of theirs.
//
//   leavers fork RANKS HOSTS    forked children of all ranks destroy the communicator and exit; the ranks go on, and still
//                               notice when one of them ends
//   leavers early RANKS HOSTS   rank 0 does its part of a call, destroys the communicator and exits, all before the others
//   come;
//                               for XYLEM_ALGORITHM=bcast:ring
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "support/expect.hpp"
#include "support/rank_group.hpp"

namespace {

using namespace xylem::test;

const xylem_stream_t kNoStream = XYLEM_STREAM_NONE;

long sum(long own, xylem_comm_t comm) {
  long total = -1;
  check(xylem_allreduce(&own, &total, 1, XYLEM_INT64, XYLEM_SUM, comm, kNoStream), "xylem_allreduce");
  return total;
}

// No rank ends while another is in a call: that one would rightly be told.
void wait_for_all(int ranks, const xylem_bootstrap& bootstrap) {
  std::vector<char> all(static_cast<std::size_t>(ranks));
  expect(bootstrap.allgather("", all.data(), 1, bootstrap.context) == 0, "the bootstrap's allgather");
}

void fork_and_go_on(int rank, int ranks, xylem_comm_t comm, const xylem_bootstrap& bootstrap) {
  // So that what ends with the process is there.
  xylem_request_t request = nullptr;
  check(xylem_ibarrier(comm, kNoStream, &request), "xylem_ibarrier");
  check(xylem_wait(&request), "xylem_wait");
  const pid_t child = fork();
  if (child == 0) {
    expect(xylem_comm_destroy(comm) == XYLEM_SUCCESS, "a forked child destroys its copy");
    std::exit(unexpected.load());
  }
  int status = -1;
  expect(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0, "the forked child's end");
  const long all = ranks * (ranks - 1) / 2;
  for (int turn = 0; turn < 3; ++turn) expect(sum(rank, comm) == all, "a sum after the child");
  wait_for_all(ranks, bootstrap);
  if (rank == ranks - 1) std::_Exit(unexpected.load());
  long own = rank, total = 0;
  const xylem_status outcome = xylem_allreduce(&own, &total, 1, XYLEM_INT64, XYLEM_SUM, comm, kNoStream);
  expect(outcome == XYLEM_ERROR_PEER_FAILED, "a rank that has ended is noticed");
  expect(std::string(xylem_last_error()).find("rank " + std::to_string(ranks - 1) + " on ") != std::string::npos, "its name");
  check(xylem_comm_destroy(comm), "xylem_comm_destroy");
}

void wait_for_end(pid_t process) {
  pollfd end{static_cast<int>(syscall(SYS_pidfd_open, process, 0)), POLLIN, 0};
  if (end.fd < 0) return;  // has ended
  while (poll(&end, 1, -1) < 0) {
  }
  close(end.fd);
}

void leave_early(int rank, int ranks, xylem_comm_t comm, const xylem_bootstrap& bootstrap) {
  const pid_t own = getpid();
  std::vector<pid_t> processes(static_cast<std::size_t>(ranks));
  expect(bootstrap.allgather(&own, processes.data(), sizeof own, bootstrap.context) == 0, "the bootstrap's allgather");
  long data = rank == 0 ? 4711 : -1;
  if (rank != 0) {
    wait_for_end(processes[0]);
    // It will have been noticed; and rank 2 waits for rank 1, which passes the data on.
    usleep(rank == 1 ? 500'000 : 200'000);
    expect(xylem_bcast(&data, 1, XYLEM_INT64, 0, comm, kNoStream) == XYLEM_SUCCESS, "a bcast whose root has done its part");
    expect(data == 4711, "the root's data");
    check(xylem_comm_destroy(comm), "xylem_comm_destroy");
    return;
  }
  xylem_request_t request = nullptr;
  check(xylem_ibcast(&data, 1, XYLEM_INT64, 0, comm, kNoStream, &request), "xylem_ibcast");
  check(xylem_comm_destroy(comm), "xylem_comm_destroy");
  check(xylem_wait(&request), "xylem_wait");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return std::fprintf(stderr, "usage: see leavers.cpp\n"), 2;
  const std::string mode = argv[1];
  const int ranks = std::atoi(argv[2]), hosts = std::atoi(argv[3]);
  RankGroup group(ranks);
  const bool good = group.run(true, [&](int rank, const xylem_bootstrap& bootstrap) {
    if (hosts > 1) {
      setenv("XYLEM_HOSTID", std::to_string(rank * hosts / ranks).c_str(), 1);
      setenv("XYLEM_PROVIDER", "tcp;ofi_rxm", 0);
      setenv("XYLEM_NIC", "lo", 0);
    }
    xylem_comm_t comm = nullptr;
    check(xylem_comm_create(&comm, &bootstrap), "xylem_comm_create");
    if (mode == "fork")
      fork_and_go_on(rank, ranks, comm, bootstrap);
    else if (mode == "early")
      leave_early(rank, ranks, comm, bootstrap);
    else
      expect(false, "there is no such part of the test");
    return unexpected.load();
  });
  if (good) std::printf("leavers: good: %s with %d ranks\n", argv[1], ranks);
  return good ? 0 : 1;
}

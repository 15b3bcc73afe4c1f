// Ranks of one host for tests: as threads of this process, or as forked processes.
#pragma once

#include <pthread.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <span>
#include <system_error>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "shm/host_memory.hpp"

namespace xylem::test {

inline constexpr int kMaxRanks = 16;

// How the ranks meet: a barrier and a place to gather block infos, in memory that forked processes share too.
class Meeting {
 public:
  explicit Meeting(int size) : size_(size) {
    void* memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mmap");
    shared_ = static_cast<Shared*>(memory);
    pthread_barrierattr_t attributes;
    pthread_barrierattr_init(&attributes);
    pthread_barrierattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_barrier_init(&shared_->barrier, &attributes, static_cast<unsigned>(size));
    pthread_barrierattr_destroy(&attributes);
  }
  ~Meeting() { munmap(shared_, sizeof(Shared)); }
  Meeting(const Meeting&) = delete;
  Meeting& operator=(const Meeting&) = delete;

  int size() const { return size_; }
  void barrier() { pthread_barrier_wait(&shared_->barrier); }

  // What a communicator does with its bootstrap.
  std::vector<shm::BlockInfo> gather(const shm::HostMemory& memory) {
    shared_->infos[memory.local_rank()] = memory.info();
    barrier();
    const std::span<const shm::BlockInfo> all(shared_->infos, static_cast<std::size_t>(size_));
    std::vector<shm::BlockInfo> copy(all.begin(), all.end());
    barrier();
    return copy;
  }
  void attach(shm::HostMemory& memory) { memory.attach(gather(memory)); }

 private:
  struct Shared {
    pthread_barrier_t barrier;
    shm::BlockInfo infos[kMaxRanks];
  };
  int size_;
  Shared* shared_;
};

// Runs body(rank, meeting) in one thread per rank.
template <class Body>
void run_threads(int size, Body body) {
  Meeting meeting(size);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < size; ++rank) threads.emplace_back([&meeting, &body, rank] { body(rank, meeting); });
  for (std::thread& thread : threads) thread.join();
}

// Runs body() in a forked process, which ends with the test's program. Gives its pid.
template <class Body>
pid_t start_process(Body body) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (child > 0) return child;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  body();
  std::fflush(nullptr);
  _exit(testing::Test::HasFailure() ? 1 : 0);
}

// Waits for it; true if all its expectations held.
inline bool succeeded(pid_t child) {
  int status = 0;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// Runs body(rank, meeting) in one process per rank.
template <class Body>
void run_processes(int size, Body body) {
  Meeting meeting(size);
  std::vector<pid_t> children;
  for (int rank = 0; rank < size; ++rank) {
    children.push_back(start_process([&meeting, &body, rank] { body(rank, meeting); }));
  }
  for (int rank = 0; rank < size; ++rank) EXPECT_TRUE(succeeded(children[static_cast<std::size_t>(rank)])) << "rank " << rank;
}

}  // namespace xylem::test

// Ranks without an MPI or a launcher: threads of one process, or its child processes, that meet in memory they share.
#pragma once

#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include "xylem/xylem.h"

namespace xylem::test {

// Ends the process where a call failed that is no matter of the test.
inline void check(xylem_status status, const char* what) {
  if (status == XYLEM_SUCCESS) return;
  std::fprintf(stderr, "%s: %s\n", what, xylem_last_error());
  std::_Exit(1);
}

class RankGroup {
 public:
  explicit RankGroup(int ranks) : ranks_(ranks) {
    void* const memory = mmap(nullptr, sizeof(Meeting) + kMost * static_cast<std::size_t>(ranks), PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) std::perror("mmap"), std::exit(1);
    meeting_ = static_cast<Meeting*>(memory);
    pthread_barrierattr_t shared;
    pthread_barrierattr_init(&shared);
    pthread_barrierattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
    pthread_barrier_init(&meeting_->barrier, &shared, static_cast<unsigned>(ranks));
    pthread_barrierattr_destroy(&shared);
  }

  // body(rank, bootstrap) on every rank, which returns its failures; true if there were none. Processes are forked: the
  // caller must not have touched CUDA.
  template <class Body>
  bool run(bool as_processes, Body body) {
    return as_processes ? run_processes(body) : run_threads(body);
  }

 private:
  static constexpr std::size_t kMost = 65536;  // bytes of a rank in one allgather
  struct Meeting {
    pthread_barrier_t barrier;
  };
  struct Member {
    RankGroup* group;
    int rank;
  };

  char* place(int rank) const { return reinterpret_cast<char*>(meeting_ + 1) + kMost * static_cast<std::size_t>(rank); }

  static int allgather(const void* send, void* recv, std::size_t bytes, void* context) {
    const Member& member = *static_cast<Member*>(context);
    const RankGroup& group = *member.group;
    if (bytes > kMost) return 1;
    std::memcpy(group.place(member.rank), send, bytes);
    pthread_barrier_wait(&group.meeting_->barrier);
    for (int r = 0; r < group.ranks_; ++r) {
      std::memcpy(static_cast<char*>(recv) + static_cast<std::size_t>(r) * bytes, group.place(r), bytes);
    }
    pthread_barrier_wait(&group.meeting_->barrier);
    return 0;
  }

  template <class Body>
  int run_one(int rank, Body& body) {
    Member member{this, rank};
    const xylem_bootstrap bootstrap{rank, ranks_, allgather, nullptr, &member};
    return body(rank, bootstrap);
  }

  template <class Body>
  bool run_threads(Body& body) {
    std::vector<std::thread> threads;
    std::vector<int> failures(static_cast<std::size_t>(ranks_));
    for (int rank = 0; rank < ranks_; ++rank) {
      threads.emplace_back([&, rank] { failures[static_cast<std::size_t>(rank)] = run_one(rank, body); });
    }
    bool good = true;
    for (std::thread& thread : threads) thread.join();
    for (const int count : failures) good = good && count == 0;
    return good;
  }

  template <class Body>
  bool run_processes(Body& body) {
    for (int rank = 0; rank < ranks_; ++rank) {
      if (const pid_t child = fork(); child == 0) {
        const int failures = run_one(rank, body);
        std::fflush(nullptr);
        std::exit(failures == 0 ? 0 : 1);
      }
    }
    bool good = true;
    for (int rank = 0; rank < ranks_; ++rank) {
      int status = 0;
      good = wait(&status) > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0 && good;
    }
    return good;
  }

  int ranks_;
  Meeting* meeting_ = nullptr;
};

}  // namespace xylem::test

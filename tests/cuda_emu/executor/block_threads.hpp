// Threads on which the blocks of kernels run. They are kept: starting one costs more than most kernels of a test do.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>

namespace cuda_emu {

class BlockThreads {
 public:
  // Calls run(block) for each of `blocks` blocks, `at_once` of them at the same time if they take long enough to notice;
  // returns when all have returned.
  template <class Run>
  void run(std::uint32_t blocks, std::uint32_t at_once, Run run) {
    Work work{blocks, &run, [](void* body, std::uint32_t block) { (*static_cast<Run*>(body))(block); }};
    run_work(work, at_once);
  }

 private:
  struct Work {
    std::uint32_t blocks;
    void* body;
    void (*call)(void* body, std::uint32_t block);
    std::uint32_t next = 0;     // the first block that nobody has begun
    std::uint32_t running = 0;  // threads that are at it, besides the caller's
  };

  void run_work(Work& work, std::uint32_t at_once);
  void run_blocks(Work& work, std::unique_lock<std::mutex>& lock);
  void wait_for_work();

  std::mutex mutex_;
  std::condition_variable more_, done_;
  std::deque<Work*> wanted_;  // once for each further thread that a kernel wants
  std::uint32_t idle_ = 0;
};

}  // namespace cuda_emu

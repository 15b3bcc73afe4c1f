#include "executor/block_threads.hpp"

#include <thread>

namespace cuda_emu {

void BlockThreads::run_work(Work& work, std::uint32_t at_once) {
  std::unique_lock lock(mutex_);
  for (std::uint32_t i = 1; i < at_once; ++i) wanted_.push_back(&work);
  for (; idle_ < wanted_.size(); ++idle_) std::thread([this] { wait_for_work(); }).detach();
  more_.notify_all();
  run_blocks(work, lock);
  std::erase(wanted_, &work);  // threads that come too late are not needed
  done_.wait(lock, [&] { return work.running == 0; });
}

void BlockThreads::run_blocks(Work& work, std::unique_lock<std::mutex>& lock) {
  while (work.next < work.blocks) {
    const std::uint32_t block = work.next++;
    lock.unlock();
    work.call(work.body, block);
    lock.lock();
  }
}

// A thread's life. It counts as idle from the moment at which it is started.
void BlockThreads::wait_for_work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    more_.wait(lock, [&] { return !wanted_.empty(); });
    Work& work = *wanted_.front();
    wanted_.pop_front();
    --idle_;
    ++work.running;
    run_blocks(work, lock);
    --work.running;
    ++idle_;
    done_.notify_all();
  }
}

}  // namespace cuda_emu

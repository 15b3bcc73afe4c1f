// Sleeping on a word of memory that processes share.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <ctime>

namespace cuda_emu {

inline void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t while_equal, const timespec* at_most) {
  syscall(SYS_futex, &word, FUTEX_WAIT, while_equal, at_most, nullptr, 0);
}

inline void futex_wake_all(std::atomic<std::uint32_t>& word) {
  syscall(SYS_futex, &word, FUTEX_WAKE, 0x7fffffff, nullptr, nullptr, 0);
}

// Sleeps until ready(word) or, now and then, give_up(). The partner stores the word, then calls wake(): all of these are
// sequentially consistent, so either the partner sees the waiter or the waiter sees the word.
template <class Ready, class GiveUp>
bool wait(std::atomic<std::uint32_t>& word, std::atomic<std::uint32_t>& waiters, Ready ready, GiveUp give_up) {
  std::uint32_t seen = word.load();
  if (ready(seen)) return true;
  waiters.fetch_add(1);
  bool given_up = false;
  while (!ready(seen = word.load()) && !(given_up = give_up())) {
    const timespec slice = {0, 50'000'000};
    futex_wait(word, seen, &slice);
  }
  waiters.fetch_sub(1);
  return !given_up;
}

inline void wake(std::atomic<std::uint32_t>& word, std::atomic<std::uint32_t>& waiters) {
  if (waiters.load() != 0) futex_wake_all(word);
}

}  // namespace cuda_emu

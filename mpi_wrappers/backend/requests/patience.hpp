// How a thread waits that looks by turns at Xylem and at the MPI: it gives way to others, and sleeps in the end.
#pragma once

#include <sched.h>

#include <cstdint>
#include <ctime>

namespace xylem::preload {

class Patience {
 public:
  // After a look in vain.
  void pause() {
    if (looks_ < kYields) {
      ++looks_;
      sched_yield();
      return;
    }
    const timespec nap{0, kSleepNanoseconds};
    nanosleep(&nap, nullptr);
  }

 private:
  // Some milliseconds, where nobody else wants the core.
  static constexpr std::uint32_t kYields = 4000;
  static constexpr long kSleepNanoseconds = 50'000;

  std::uint32_t looks_ = 0;
};

}  // namespace xylem::preload

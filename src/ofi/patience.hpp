// How long the end of something waits for a provider: long enough for any that works, never for ever.
#pragma once

#include <chrono>
#include <thread>

namespace xylem::ofi {

class Patience {
 public:
  // Sleeps a little. False: waited long enough.
  bool left() const {
    std::this_thread::sleep_for(kStep);
    return std::chrono::steady_clock::now() < end_;
  }

 private:
  static constexpr std::chrono::microseconds kStep{20};
  static constexpr std::chrono::milliseconds kLimit{250};
  std::chrono::steady_clock::time_point end_ = std::chrono::steady_clock::now() + kLimit;
};

}  // namespace xylem::ofi

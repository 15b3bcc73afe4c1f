#include "exec/waiter.hpp"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <ctime>

#include "exec/platform.hpp"

namespace xylem::exec {

namespace {

// A yield costs about a microsecond when nobody else wants the core: some milliseconds of yielding, then sleep.
constexpr std::uint32_t kYields = 4000;
constexpr long kSleepNanoseconds = 50'000;
constexpr std::chrono::milliseconds kLongYield{1};
// The MPI below is driven on every eighth look only: it is needed rarely, and an MPI may yield inside.
constexpr std::uint32_t kBootstrapEvery = 8;
// Reading the clock costs as much as a look.
constexpr std::uint32_t kClockEvery = 64;
constexpr double kFirstLookSeconds = 0.25;
constexpr double kMostSecondsBetweenLooks = 1;

void sleep_briefly() {
  const timespec nap{0, kSleepNanoseconds};
  nanosleep(&nap, nullptr);
}

}  // namespace

Fault Waiter::notice() {
  if (ended_ == Fault::none) ended_ = abort_fault(load_acquire(*abort_word_));
  return ended_;
}

Fault Waiter::pause() {
  if (notice() != Fault::none) return ended_;
  poke_network();
  elsewhere_();
  const std::uint32_t pause = pauses_++;
  const bool sleepy = pause >= pokes_ + kYields;
  if (sleepy || pause % kBootstrapEvery == kBootstrapEvery - 1) bootstrap_();
  if (sleepy || pause % kClockEvery == 0) ended_ = look_at_clock();
  if (ended_ != Fault::none) return ended_;
  if (sleepy) {
    pauses_ = pause;  // stays so, however long it lasts
    sleep_briefly();
  } else if (pause >= pokes_) {
    give_way();
  }
  return Fault::none;
}

Fault Waiter::look() {
  if (notice() == Fault::none && pauses_++ % kClockEvery == 0) ended_ = look_at_clock();
  return ended_;
}

// A yield gives the core to whoever wants it. Among ranks that is the fastest way to hand it round, since none keeps it long;
// a program that computes keeps it for a whole slice of some milliseconds. Beside such a program sleep: who slept is run
// soon.
void Waiter::give_way() {
  if (naps_ != 0) {
    --naps_;
    sleep_briefly();
    return;
  }
  const auto before = std::chrono::steady_clock::now();
  sched_yield();
  const bool long_one = std::chrono::steady_clock::now() - before > kLongYield;
  naps_after_ = long_one ? std::min(naps_after_ * 2, kMostNaps) : kFewestNaps;
  if (long_one) naps_ = naps_after_;
}

Fault Waiter::look_at_clock() {
  const auto now = static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count());
  if (since_ == 0) {
    since_ = now;
    next_look_ = kFirstLookSeconds;
    publish();
    return Fault::none;
  }
  const double seconds = 1e-9 * static_cast<double>(now - since_);
  if (timeout_ > 0 && seconds > timeout_) return Fault::timeout;
  if (seconds < next_look_ || look_around_.function == nullptr) return Fault::none;
  next_look_ = seconds + std::min(seconds, kMostSecondsBetweenLooks);
  return look_around_.function(look_around_.context, seconds);
}

void Waiter::publish() const {
  if (note_ == nullptr) return;
  std::atomic_ref(note_->who).store(who_, std::memory_order_relaxed);
  std::atomic_ref(note_->kind).store(static_cast<std::uint32_t>(kind_), std::memory_order_relaxed);
  // Its partner is the load of who looks into the log of this rank's calls.
  std::atomic_ref(note_->since).store(since_, std::memory_order_release);
}

}  // namespace xylem::exec

#include "exec/waiter.hpp"

#include <sched.h>

#include <chrono>
#include <ctime>

#include "exec/platform.hpp"

namespace xylem::exec {

namespace {

// A yield costs about a microsecond when nobody else wants the core: some milliseconds of yielding, then sleep.
constexpr std::uint32_t kYields = 4000;
constexpr long kSleepNanoseconds = 50'000;
// The MPI below is driven on every eighth look only: it is needed rarely, and an MPI may yield inside.
constexpr std::uint32_t kBootstrapEvery = 8;
// Reading the clock costs as much as a look.
constexpr std::uint32_t kClockEvery = 64;

}  // namespace

Fault Waiter::pause() {
  if (const Fault raised = abort_fault(load_acquire(*abort_word_)); raised != Fault::none) return raised;
  poke_network();
  const std::uint32_t pause = pauses_++;
  const bool sleepy = pause >= pokes_ + kYields;
  if (bootstrap_.function != nullptr && (sleepy || pause % kBootstrapEvery == kBootstrapEvery - 1)) {
    bootstrap_.function(bootstrap_.context);
  }
  if (timeout_ > 0 && (sleepy || pause % kClockEvery == 0) && too_late()) return Fault::timeout;
  if (sleepy) {
    pauses_ = pause;  // stays so, however long it lasts
    const timespec nap{0, kSleepNanoseconds};
    nanosleep(&nap, nullptr);
  } else if (pause >= pokes_) {
    sched_yield();
  }
  return Fault::none;
}

bool Waiter::too_late() {
  const double now = std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  if (deadline_ == 0) deadline_ = now + timeout_;
  return now > deadline_;
}

}  // namespace xylem::exec

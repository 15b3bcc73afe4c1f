#include "exec/waiter.hpp"

#include <sched.h>

#include <ctime>

#include "exec/platform.hpp"

namespace xylem::exec {

namespace {

// A yield costs about a microsecond when nobody else wants the core: some milliseconds of yielding, then sleep.
constexpr std::uint32_t kYields = 4000;
constexpr long kSleepNanoseconds = 50'000;
// While spinning on a network, the MPI below is driven on every eighth look only.
constexpr std::uint32_t kBootstrapEvery = 8;

}  // namespace

Fault Waiter::pause() {
  if (const std::uint32_t raised = load_acquire(*abort_word_); raised != 0) return static_cast<Fault>(raised);
  poke_network();
  const std::uint32_t pause = pauses_;
  if (pause < pokes_ + kYields) ++pauses_;
  if (pause < pokes_ && pause % kBootstrapEvery != 0) return Fault::none;
  if (bootstrap_.function != nullptr) bootstrap_.function(bootstrap_.context);
  if (pause < pokes_) return Fault::none;
  if (pause < pokes_ + kYields) {
    sched_yield();
  } else {
    const timespec nap{0, kSleepNanoseconds};
    nanosleep(&nap, nullptr);
  }
  return Fault::none;
}

}  // namespace xylem::exec

#include "ofi/drain.hpp"

#include <pthread.h>

#include <algorithm>
#include <csignal>

#include "ofi/hub.hpp"

namespace xylem::ofi {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kBusy{10};
constexpr milliseconds kShortest{1};
constexpr milliseconds kLongest{32};
constexpr milliseconds kSettled{100};

// Threads that are started meanwhile leave all signals to the program's own threads.
class BlockSignals {
 public:
  BlockSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~BlockSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  BlockSignals(const BlockSignals&) = delete;
  BlockSignals& operator=(const BlockSignals&) = delete;

 private:
  sigset_t before_;
};

}  // namespace

Drain::Drain(Hub& hub) : hub_(hub) {
  const BlockSignals blocked;
  thread_ = std::thread([this] { run(); });
}

Drain::~Drain() {
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void Drain::run() {
  milliseconds pause = kBusy;
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, pause, [this] { return stopping_; })) {
    switch (hub_.drain()) {
      case State::busy:
        pause = kBusy;
        break;
      case State::unsettled:
        pause = pause >= kSettled || pause == kBusy ? kShortest : std::min(pause * 2, kLongest);
        break;
      case State::settled:
        pause = kSettled;
        break;
    }
  }
}

}  // namespace xylem::ofi

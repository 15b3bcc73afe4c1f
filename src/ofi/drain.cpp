#include "ofi/drain.hpp"

#include <pthread.h>

#include <algorithm>

#include "base/block_signals.hpp"
#include "ofi/hub.hpp"

namespace xylem::ofi {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kBusy{10};
constexpr milliseconds kShortest{1};
constexpr milliseconds kLongest{32};
constexpr milliseconds kSettled{100};

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
  pthread_setname_np(pthread_self(), "xylem-drain");
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

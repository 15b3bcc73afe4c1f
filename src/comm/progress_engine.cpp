#include "comm/progress_engine.hpp"

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <exception>

#include "base/block_signals.hpp"
#include "base/log.hpp"
#include "comm/communicator.hpp"
#include "shm/per_process.hpp"

namespace xylem {

namespace {

using std::chrono::microseconds;

// One look at a communicator takes some microseconds with all that a sleep costs: at the longest nap well below 1 % of a
// core.
constexpr microseconds kShortestNap{50};
constexpr microseconds kLongestNap{1000};
// While calls move, the helper gives way to others but does not sleep; so many looks in vain, and it does.
constexpr unsigned kLooks = 20;
// A program that starts calls one after the other shall not make a thread for each.
constexpr std::chrono::seconds kLinger{1};
// How many communicators a waiting thread drives between two looks at what it waits for.
constexpr std::size_t kSome = 4;

}  // namespace

// While it lives, the communicator does not end.
class ProgressEngine::Inside {
 public:
  // Nobody is inside where the request is done already: its communicator may be gone.
  Inside(ProgressEngine& engine, const Request& request) : engine_(engine) {
    const std::lock_guard lock(engine_.mutex_);
    if (request.done()) return;
    communicator_ = &request.communicator();
    ++communicator_->place_.drivers_;
  }
  ~Inside() {
    if (communicator_ != nullptr) engine_.leave(*communicator_);
  }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

  Communicator* communicator() const { return communicator_; }

 private:
  ProgressEngine& engine_;
  Communicator* communicator_ = nullptr;
};

ProgressEngine::ProgressEngine() : process_(getpid()) {}

// A forked child has copies of its parent's communicators and of this object, but nothing of what they stand for, and not the
// threads that may have been inside.
bool ProgressEngine::of_another_process() const { return process_ != getpid(); }

ProgressEngine& ProgressEngine::of_process() { return shm::per_process<ProgressEngine>(); }

void ProgressEngine::attend(Communicator& communicator) {
  // Its queue was filled before: either we see here that it is listed, or tidy() sees there that it is not empty.
  if (communicator.place_.listed_) return;
  const std::lock_guard lock(mutex_);
  if (communicator.place_.listed_) return;
  try {
    active_.push_back(&communicator);
  } catch (const std::bad_alloc&) {
    return;  // the call is started; who waits for it drives it
  }
  communicator.place_.listed_ = true;
  active_count_ = active_.size();
  if (helper_lives_) {
    wake_.notify_one();
  } else {
    start_helper();
  }
}

void ProgressEngine::forget(Communicator& communicator) {
  if (of_another_process()) return;
  communicator.complete();
  std::unique_lock lock(mutex_);
  if (communicator.place_.listed_) {
    std::erase(active_, &communicator);
    active_count_ = active_.size();
  }
  left_.wait(lock, [&] { return communicator.place_.drivers_ == 0; });
}

void ProgressEngine::adopt(std::unique_ptr<Communicator> communicator) {
  const std::lock_guard lock(mutex_);
  if (!helper_lives_) return;  // it ends here, which waits for its calls
  communicator->leave_bootstrap();
  orphans_.push_back(std::move(communicator));
  wake_.notify_one();
}

void ProgressEngine::wait(const Request& request) {
  if (request.done()) return;
  const Inside inside(*this, request);
  if (inside.communicator() != nullptr) inside.communicator()->wait_for(request);
}

bool ProgressEngine::test(const Request& request) {
  if (request.done()) return true;
  const Inside inside(*this, request);
  if (inside.communicator() != nullptr) inside.communicator()->look_after();
  return request.done();
}

void ProgressEngine::leave(Communicator& communicator) {
  const std::lock_guard lock(mutex_);
  if (--communicator.place_.drivers_ == 0) left_.notify_all();
}

Communicator* ProgressEngine::enter_next() {
  const std::lock_guard lock(mutex_);
  if (active_.empty()) return nullptr;
  next_ = next_ + 1 < active_.size() ? next_ + 1 : 0;
  Communicator* const next = active_[next_];
  ++next->place_.drivers_;
  return next;
}

void ProgressEngine::drive_some() {
  for (std::size_t i = std::min(kSome, active_count_.load(std::memory_order_relaxed)); i != 0; --i) {
    Communicator* const communicator = enter_next();
    if (communicator == nullptr) return;
    communicator->drive();
    leave(*communicator);
  }
}

void ProgressEngine::start_helper() {
  // At the end of the program, before what this thread uses goes. A forked child ends its own only.
  static const struct AtExit {
    ProgressEngine& engine;
    ~AtExit() {
      if (!engine.of_another_process()) engine.stop_helper();
    }
  } at_exit{*this};
  if (stopping_) return;
  if (helper_.joinable()) helper_.join();  // one that had nothing to do any more
  try {
    const BlockSignals blocked;
    helper_ = std::thread([this] { help(); });
    helper_lives_ = true;
  } catch (const std::exception& error) {  // of the system, or out of memory
    log::warn(std::string("nonblocking collectives move only inside Xylem calls: no thread can be started (") + error.what() +
              ")");
  }
}

void ProgressEngine::stop_helper() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  if (helper_.joinable()) helper_.join();
  // Communicators that the program has ended are gone before the process is: its peers shall not take it for dead.
  tidy();
}

void ProgressEngine::help() {
  pthread_setname_np(pthread_self(), "xylem-progress");
  microseconds nap = kShortestNap;
  unsigned looks = 0;
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    if (active_.empty() && orphans_.empty()) {
      if (!wake_.wait_for(lock, kLinger, [this] { return stopping_ || !active_.empty() || !orphans_.empty(); })) break;
      nap = kShortestNap;
    }
    lock.unlock();
    const Found found = help_all();
    looks = found == Found::still ? looks + 1 : 0;
    if (found == Found::moving) nap = kShortestNap;
    const bool sleepy = found == Found::attended || looks > kLooks;
    if (!sleepy) sched_yield();
    lock.lock();
    if (!sleepy) continue;
    wake_.wait_for(lock, nap);
    nap = std::min(nap * 2, kLongestNap);
  }
  helper_lives_ = false;
}

ProgressEngine::Found ProgressEngine::help_all() {
  Found found = Found::attended;
  tidy();  // what it returns ends here
  for (std::size_t i = active_count_.load(std::memory_order_relaxed); i != 0; --i) {
    Communicator* const communicator = enter_next();
    if (communicator == nullptr) break;
    const std::uint64_t drives = communicator->drives();
    if (drives != communicator->place_.last_seen_) {
      communicator->place_.last_seen_ = drives;
    } else if (communicator->drive_unattended()) {
      found = Found::moving;
    } else if (found == Found::attended) {
      found = Found::still;
    }
    leave(*communicator);
  }
  return found;
}

std::vector<std::unique_ptr<Communicator>> ProgressEngine::tidy() {
  const std::lock_guard lock(mutex_);
  std::erase_if(active_, [](Communicator* communicator) {
    Place& place = communicator->place_;
    // One that is used all the time stays listed, so that the next call need not wake anybody.
    if (communicator->drives() != place.last_seen_ || !communicator->quiet()) return false;
    place.listed_ = false;
    if (communicator->quiet()) return true;
    place.listed_ = true;  // a call was started just now
    return false;
  });
  active_count_ = active_.size();
  const auto ready = std::partition(orphans_.begin(), orphans_.end(), [](const std::unique_ptr<Communicator>& orphan) {
    return !orphan->quiet() || orphan->place_.drivers_ != 0;
  });
  std::vector<std::unique_ptr<Communicator>> ended(std::make_move_iterator(ready), std::make_move_iterator(orphans_.end()));
  orphans_.erase(ready, orphans_.end());
  return ended;
}

}  // namespace xylem

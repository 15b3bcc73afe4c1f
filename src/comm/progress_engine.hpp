// Moves all calls of this process that were started and have not ended, on whatever communicator. Driven by every thread that
// waits inside a Xylem call, and by a helper thread that lives while something is outstanding (and a moment longer): it takes
// care of communicators that nobody else drives, for their ranks may compute, or sit in an MPI call, for long.
//
// The helper blocks all signals and calls neither MPI nor a bootstrap.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace xylem {

class Communicator;
class Request;

class ProgressEngine {
 public:
  ProgressEngine();
  // Never destroyed; a forked child has one of its own. Its helper ends before the process's static objects do.
  static ProgressEngine& of_process();
  // In a forked child, of its parent's.
  bool of_another_process() const;

  // What the engine keeps in each communicator.
  class Place {
    friend class ProgressEngine;
    std::atomic<bool> listed_{false};
    std::uint32_t drivers_ = 0;    // threads inside the communicator
    std::uint64_t last_seen_ = 0;  // how often others had driven it when the helper last looked
  };

  // The communicator has outstanding calls. Costs one load when it had some a short while ago.
  void attend(Communicator& communicator);

  // Returns when all calls of the communicator are done and no other thread is inside it or will be. Its destructor calls
  // this.
  void forget(Communicator& communicator);

  // Takes a communicator that its user has ended while calls are outstanding, and ends it after them.
  void adopt(std::unique_ptr<Communicator> communicator);

  // Drives some communicators once, in turn; never waits. Every wait calls it; costs one load when nothing is outstanding.
  void poke() {
    if (active_count_.load(std::memory_order_relaxed) != 0) drive_some();
  }

  // Waits for a request, or looks after it once. Any thread.
  void wait(const Request& request);
  bool test(const Request& request);

 private:
  class Inside;
  enum class Found { moving, still, attended };

  void drive_some();
  Communicator* enter_next();
  void leave(Communicator& communicator);
  void start_helper();
  void stop_helper();
  void help();
  Found help_all();
  std::vector<std::unique_ptr<Communicator>> tidy();

  const int process_;
  std::mutex mutex_;                          // of all that follows, and of the communicators' Places
  std::vector<Communicator*> active_;         // those with outstanding calls, and some that had them a moment ago
  std::atomic<std::size_t> active_count_{0};  // active_.size()
  std::size_t next_ = 0;                      // whose turn it is
  std::vector<std::unique_ptr<Communicator>> orphans_;

  std::condition_variable left_;  // somebody has left a communicator
  std::condition_variable wake_;  // something to do for the helper
  std::thread helper_;
  bool helper_lives_ = false;
  bool stopping_ = false;
};

}  // namespace xylem

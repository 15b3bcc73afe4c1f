// A thread that finishes what callers left to the network. Most providers move data only when they are called, and a send
// that is complete may still have bytes in the provider's own buffers. The program may then sit in an MPI call for long while
// a peer waits for them. The thread sleeps nearly always: it looks seldom when all is quiet, and while callers drive the
// network it sees to it only that they do so for all communicators.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace xylem::ofi {

class Hub;

class Drain {
 public:
  enum class State {
    busy,       // callers drive the network
    unsettled,  // some peer has not read all that was sent to it
    settled,
  };

  explicit Drain(Hub& hub);
  ~Drain();
  Drain(const Drain&) = delete;
  Drain& operator=(const Drain&) = delete;

 private:
  void run();

  Hub& hub_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace xylem::ofi

// A call that has been started: its place in the queue of its communicator, and what it came to.
#pragma once

#include <atomic>
#include <optional>
#include <string>

#include "comm/staging.hpp"

namespace xylem {

class Communicator;

class Request {
 public:
  Request(Communicator& communicator, const Call& call) : communicator_(communicator), call_(call) {}
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;

  Communicator& communicator() const { return communicator_; }  // may be gone once done()
  // As it is run: with buffers in host memory.
  const Call& call() const { return staged_ ? staged_->on_host() : call_; }

  // Before the start: reads what lies on a device. True where something does. Throws Error.
  bool stage(const BufferBytes& bytes) {
    staged_.emplace(call_, bytes);
    return staged_->staged();
  }
  // After the end: brings the results where the program wants them. By a thread of the program. Throws Error.
  void bring_back() const {
    if (staged_ && status_ == XYLEM_SUCCESS) staged_->copy_back();
  }

  // Once true, status() and error() are final, and nobody but the owner touches this object any more. Any thread.
  bool done() const { return done_.load(std::memory_order_acquire); }
  xylem_status status() const { return status_; }
  const std::string& error() const { return error_; }  // in words; empty after success

 private:
  friend class CallQueue;

  void finish(xylem_status status, const std::string& error) {
    status_ = status;
    if (status != XYLEM_SUCCESS) error_ = error;
    // Partner: the load in done().
    done_.store(true, std::memory_order_release);
  }

  Communicator& communicator_;
  const Call call_;
  std::optional<StagedCall> staged_;
  Request* next_ = nullptr;  // in the queue
  xylem_status status_ = XYLEM_SUCCESS;
  std::string error_;
  std::atomic<bool> done_{false};
};

}  // namespace xylem

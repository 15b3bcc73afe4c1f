// A call that has been started: its place in the queue of its communicator, and what it came to.
#pragma once

#include <atomic>
#include <string>
#include <utility>

#include "comm/arrivals.hpp"
#include "comm/call.hpp"

namespace xylem {

class Communicator;

class Request {
 public:
  Request(Communicator& communicator, const Call& call) : communicator_(communicator), call_(call) {}
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;

  Communicator& communicator() const { return communicator_; }  // may be gone once done()
  const Call& call() const { return call_; }

  // Before the start: what is to be done before the call reads device memory.
  Arrivals& arrivals() { return arrivals_; }
  const Arrivals& arrivals() const { return arrivals_; }

  // Once true, status() and error() are final, and nobody but the owner touches this object any more. Any thread.
  bool done() const { return done_.load(std::memory_order_acquire); }
  xylem_status status() const { return status_; }
  const std::string& error() const { return error_; }  // in words; empty after success

 private:
  friend class CallQueue;
  friend class Communicator;  // ends what it does not start

  // `error`: of no account after success.
  xylem_status finish(xylem_status status, std::string error) {
    status_ = status;
    if (status != XYLEM_SUCCESS) error_ = std::move(error);
    // Partner: the load in done().
    done_.store(true, std::memory_order_release);
    return status;
  }

  Communicator& communicator_;
  const Call call_;
  Arrivals arrivals_;
  Request* next_ = nullptr;  // in the queue
  xylem_status status_ = XYLEM_SUCCESS;
  std::string error_;
  std::atomic<bool> done_{false};
};

}  // namespace xylem

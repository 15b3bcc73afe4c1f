// The calls that were started on a communicator and have not ended, in the order in which all ranks start them. One of them
// runs at a time, on a fiber; the others are argument records.
//
// One thread at a time adds calls (the communicator's user); any threads drive.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

#include "comm/request.hpp"

namespace xylem {

class CallQueue {
 public:
  // Nothing is outstanding: nobody but the communicator's user touches its data path now, and that user may run a call
  // directly.
  bool empty() const { return outstanding_.load() == 0; }

  void push(Request& request);

  // The first, which stays in the queue until pop(); null: none. The driving thread only.
  Request* front();
  // Ends the first. May be the last access to the communicator by this thread: when the queue is empty, others may use or
  // end it.
  void pop(xylem_status status, const std::string& error);

 private:
  std::mutex mutex_;  // of the list
  Request* first_ = nullptr;
  Request* last_ = nullptr;
  std::atomic<std::uint32_t> outstanding_{0};
};

}  // namespace xylem

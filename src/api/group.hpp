// Calls that are recorded between xylem_group_start() and xylem_group_end(), and run as one.
#pragma once

#include <atomic>
#include <deque>

#include "comm/communicator.hpp"

namespace xylem::api {

class Group {
 public:
  void add(Communicator& communicator, const Call& call) { part_of(communicator).calls.push_back(call); }
  // Device buffers of messages are read and written after the work that `stream` has so far. Throw Error.
  void add_send(Communicator& communicator, const coll::Message& message, xylem_stream_t stream);
  void add_receive(Communicator& communicator, const coll::Message& message, xylem_stream_t stream);

  bool uses(const Communicator& communicator) const;

  // Starts all of it, and waits for all of it. Throws Error where what a rank sends to itself is not what it receives.
  xylem_status run();

 private:
  // What the group has of one communicator: collectives in order, then all messages as one.
  struct Part {
    Communicator* communicator;
    std::vector<Call> calls;
    coll::Exchange exchange;
    Arrivals arrivals;  // of messages
  };

  Part& part_of(Communicator& communicator);

  std::deque<Part> parts_;
};

namespace detail {
inline constinit std::atomic<std::size_t> groups_open{0};  // in this process
Group* open_group_of_thread();
}  // namespace detail

// The group that this thread has open; null: none. What each thread has is looked up only where some thread has one: a
// thread sees at least its own.
inline Group* open_group() {
  return detail::groups_open.load(std::memory_order_relaxed) == 0 ? nullptr : detail::open_group_of_thread();
}

}  // namespace xylem::api

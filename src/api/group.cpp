#include "api/group.hpp"

#include <algorithm>
#include <memory>

#include "api/check.hpp"
#include "api/errors.hpp"
#include "exec/reduce.hpp"

namespace xylem::api {

namespace {

// Groups nest; the outermost end runs all.
thread_local unsigned depth = 0;
thread_local std::unique_ptr<Group> current;

std::vector<std::size_t> lengths(const std::vector<coll::Message>& messages, std::uint32_t peer) {
  std::vector<std::size_t> bytes;
  for (const coll::Message& message : messages) {
    if (message.peer == peer) bytes.push_back(message.bytes);
  }
  return bytes;
}

}  // namespace

Group* detail::open_group_of_thread() { return depth == 0 ? nullptr : current.get(); }

Group::Part& Group::part_of(Communicator& communicator) {
  const auto found =
      std::find_if(parts_.begin(), parts_.end(), [&](const Part& p) { return p.communicator == &communicator; });
  return found != parts_.end() ? *found : parts_.emplace_back(Part{&communicator, {}, {}, {}});
}

bool Group::uses(const Communicator& communicator) const {
  return std::any_of(parts_.begin(), parts_.end(), [&](const Part& part) { return part.communicator == &communicator; });
}

void Group::add_send(Communicator& communicator, const coll::Message& message, xylem_stream_t stream) {
  Part& part = part_of(communicator);
  communicator.note_arrival(part.arrivals, message.data, stream);
  part.exchange.sends.push_back(message);
}

void Group::add_receive(Communicator& communicator, const coll::Message& message, xylem_stream_t stream) {
  Part& part = part_of(communicator);
  communicator.note_arrival(part.arrivals, message.data, stream);
  part.exchange.receives.push_back(message);
}

namespace {

// Requests of communicators that may be at them: they live until all of them are done, also where an exception ends the
// group.
class Started {
 public:
  Started() = default;
  Started(const Started&) = delete;
  Started& operator=(const Started&) = delete;
  ~Started() { wait(); }

  void start(Communicator& communicator, const Call& call, Arrivals* arrivals) {
    Request& request = requests_.emplace_back(communicator, call);
    if (arrivals != nullptr) request.arrivals() = std::move(*arrivals);
    try {
      communicator.start(request);
    } catch (...) {
      requests_.pop_back();
      throw;
    }
  }
  void wait() const {
    for (const Request& request : requests_) ProgressEngine::of_process().wait(request);
  }
  // The first that failed; null: none.
  const Request* failed() const {
    const auto found = std::find_if(requests_.begin(), requests_.end(),
                                    [](const Request& request) { return request.status() != XYLEM_SUCCESS; });
    return found == requests_.end() ? nullptr : &*found;
  }

 private:
  std::deque<Request> requests_;
};

}  // namespace

xylem_status Group::run() {
  for (Part& part : parts_) {
    const std::uint32_t self = part.communicator->rank();
    const coll::Exchange& exchange = part.exchange;
    if (lengths(exchange.sends, self) != lengths(exchange.receives, self)) {
      throw Error(XYLEM_ERROR_INVALID_ARGUMENT,
                  "what rank " + std::to_string(self) + " sends to itself is not what it receives from itself");
    }
    if (!exchange.sends.empty() || !exchange.receives.empty()) {
      part.calls.push_back({.collective = coll::Collective::barrier, .exchange = &exchange});
    }
  }
  Started started;
  for (Part& part : parts_) {
    for (const Call& call : part.calls) {
      started.start(*part.communicator, call, call.exchange == nullptr ? nullptr : &part.arrivals);
    }
  }
  started.wait();
  const Request* const failed = started.failed();
  return failed == nullptr ? XYLEM_SUCCESS : fail(failed->status(), failed->error());
}

namespace {

template <class Add>
xylem_status message(const char* function, const void* buffer, std::size_t count, xylem_type type, int peer,
                     xylem_comm_t comm, xylem_stream_t stream, Add add) {
  Check check(comm, stream);
  check.type(type).count(count, type, 1).peer(peer).buffer("buffer", buffer, count);
  const CheckedCall checked = check.done({});
  if (checked.refusal != nullptr)
    return fail(checked.refusal->status, std::string(function) + ": " + checked.refusal->reason);
  xylem_group_start();
  const xylem_status added = guarded(function, [&] {
    auto* const data = static_cast<std::byte*>(const_cast<void*>(buffer));
    (open_group()->*add)(*comm->communicator, {data, count * exec::type_bytes(type), static_cast<std::uint32_t>(peer)},
                         stream);
    return XYLEM_SUCCESS;
  });
  const xylem_status ended = xylem_group_end();
  return added == XYLEM_SUCCESS ? ended : added;
}

}  // namespace
}  // namespace xylem::api

xylem_status xylem_group_start(void) {
  return xylem::api::guarded("xylem_group_start", [] {
    using namespace xylem::api;
    if (depth == 0) {
      current = std::make_unique<Group>();
      detail::groups_open.fetch_add(1, std::memory_order_relaxed);
    }
    ++depth;
    return XYLEM_SUCCESS;
  });
}

xylem_status xylem_group_end(void) {
  return xylem::api::guarded("xylem_group_end", [] {
    using namespace xylem::api;
    if (depth == 0) return fail(XYLEM_ERROR_INVALID_ARGUMENT, "xylem_group_end: no group was started by this thread");
    if (--depth != 0) return XYLEM_SUCCESS;
    detail::groups_open.fetch_sub(1, std::memory_order_relaxed);
    const std::unique_ptr<Group> group = std::move(current);
    return group->run();
  });
}

xylem_status xylem_send(const void* buffer, size_t count, xylem_type type, int peer, xylem_comm_t comm,
                        xylem_stream_t stream) {
  return xylem::api::message("xylem_send", buffer, count, type, peer, comm, stream, &xylem::api::Group::add_send);
}

xylem_status xylem_recv(void* buffer, size_t count, xylem_type type, int peer, xylem_comm_t comm, xylem_stream_t stream) {
  return xylem::api::message("xylem_recv", buffer, count, type, peer, comm, stream, &xylem::api::Group::add_receive);
}

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
  xylem_status first = XYLEM_SUCCESS;
  const auto note = [&first](xylem_status status, const std::string& error) {
    if (first == XYLEM_SUCCESS && status != XYLEM_SUCCESS) first = fail(status, error);
  };
  std::deque<Request> started;
  for (Part& part : parts_) {
    for (const Call& call : part.calls) {
      Request& request = started.emplace_back(*part.communicator, call);
      if (call.exchange != nullptr) request.arrivals() = std::move(part.arrivals);
      const xylem_status status = part.communicator->start(request);
      if (status == XYLEM_SUCCESS) continue;
      started.pop_back();
      note(status, part.communicator->error());
    }
  }
  for (const Request& request : started) {
    ProgressEngine::of_process().wait(request);
    note(request.status(), request.error());
  }
  return first;
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

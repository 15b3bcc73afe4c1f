#include "cuda/event.hpp"

#include <cstring>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "cuda/context.hpp"
#include "cuda/ipc.hpp"

namespace xylem::cuda {
namespace {

struct UnusedEvents {
  std::mutex mutex;
  std::map<ContextKey, std::vector<CUevent>> of;
};

// Never destroyed: see PinnedMemory's pool.
UnusedEvents& unused_events() {
  static UnusedEvents& it = *new UnusedEvents;
  return it;
}

// Null: there is none.
CUevent take_unused(const Memory& near) {
  UnusedEvents& all = unused_events();
  const std::lock_guard lock(all.mutex);
  std::vector<CUevent>& here = all.of[ContextKey(near)];
  if (here.empty()) return nullptr;
  const CUevent event = here.back();
  here.pop_back();
  return event;
}

}  // namespace

Event::Event(const Memory& near) : near_(kept(the_driver(), near)), origin_(Origin::made) {
  event_ = take_unused(near_);
  if (event_ != nullptr) return;
  const ContextScope scope(the_driver(), near_);
  check(the_driver(), the_driver().event_create(&event_, CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS), "cuEventCreate");
}

Event::Event(const ExportedEvent& exported, const Memory& near) : near_(kept(the_driver(), near)), origin_(Origin::opened) {
  if (exported.process == this_process()) {
    event_ = reinterpret_cast<CUevent>(exported.event);
    origin_ = Origin::lent;
    return;
  }
  const ContextScope scope(the_driver(), near_);
  CUipcEventHandle handle;
  std::memcpy(&handle, exported.handle.data(), sizeof handle);
  check(the_driver(), the_driver().ipc_open_event_handle(&event_, handle), "cuIpcOpenEventHandle");
}

Event::~Event() {
  if (event_ == nullptr || origin_ == Origin::lent) return;
  if (origin_ == Origin::made) {
    UnusedEvents& all = unused_events();
    const std::lock_guard lock(all.mutex);
    all.of[ContextKey(near_)].push_back(event_);
  } else if (const Driver* const driver = driver_in_process(); driver != nullptr) {
    try {
      const ContextScope scope(*driver, near_);
      driver->event_destroy(event_);
    } catch (const Error&) {
      // It went with its context.
    }
  }
}

Event::Event(Event&& other) noexcept
    : near_(other.near_), event_(std::exchange(other.event_, nullptr)), origin_(other.origin_) {}

ExportedEvent Event::exported() const {
  const ContextScope scope(the_driver(), near_);
  CUipcEventHandle handle;
  check(the_driver(), the_driver().ipc_get_event_handle(&handle, event_), "cuIpcGetEventHandle");
  ExportedEvent exported{this_process(), reinterpret_cast<std::uint64_t>(event_), {}};
  static_assert(sizeof handle == sizeof exported.handle);
  std::memcpy(exported.handle.data(), &handle, sizeof handle);
  return exported;
}

void Event::record(CUstream_st* stream) const {
  const ContextScope scope(the_driver(), near_);
  check(the_driver(), the_driver().event_record(event_, stream), "cuEventRecord");
}

void Event::hold(CUstream_st* stream) const {
  const ContextScope scope(the_driver(), near_);
  check(the_driver(), the_driver().stream_wait_event(stream, event_, CU_EVENT_WAIT_DEFAULT), "cuStreamWaitEvent");
}

bool Event::done() const {
  const ContextScope scope(the_driver(), near_);
  const CUresult result = the_driver().event_query(event_);
  if (result == CUDA_ERROR_NOT_READY) return false;
  check(the_driver(), result, "a kernel of Xylem");
  return true;
}

}  // namespace xylem::cuda

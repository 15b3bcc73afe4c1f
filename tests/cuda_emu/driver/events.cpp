// Events within the process; driver/ipc.cpp has those of other processes.
#include "driver/driver.hpp"

namespace cuda_emu {

std::uint32_t EventSlots::take() {
  if (!free_.empty()) {
    const std::uint32_t slot = free_.back();
    free_.pop_back();
    return slot;
  }
  require(unused_ < kMaxEvents, CUDA_ERROR_OUT_OF_MEMORY);
  return unused_++;
}

namespace {

constexpr unsigned kEventFlags = CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS;

Message event_message(Kind kind, const CUevent_st& event, std::uint32_t number) {
  Message message{};
  message.kind = kind;
  message.event = {event.table, event.slot, number};
  return message;
}

bool recorded(const CUevent_st& event) { return event.state->recorded.load() != event.before; }

bool completed(const CUevent_st& event) {
  return !recorded(event) || reached(event.state->completed.load(), event.state->recorded.load());
}

// An event that was recorded in a capture stands for nodes, not for a time.
void require_not_captured(CUevent_st& event) {
  if (!event.capture) return;
  event.capture->invalid = true;
  throw Error{CUDA_ERROR_CAPTURED_EVENT};
}

void record(Driver& driver, CUctx_st& context, CUevent handle, CUstream stream_handle, bool external) {
  CUevent_st& event = driver.events.get(handle);
  CUstream_st& stream = stream_of(driver, context, stream_handle);
  require(event.context == stream.context, CUDA_ERROR_INVALID_HANDLE);
  if (stream.capture && !external) {
    event.capture = stream.capture;
    event.capture_tail = stream.capture_tail;
    return;
  }
  event.capture.reset();
  // A node of a graph that records has no number yet: it gets one at each launch.
  const std::uint32_t number = stream.capture ? 0 : ++event.state->recorded;
  submit(driver, stream, event_message(Kind::kRecordEvent, event, number));
}

void make_wait(Driver& driver, CUctx_st& context, CUstream stream_handle, CUevent handle, bool external) {
  CUstream_st& stream = stream_of(driver, context, stream_handle);
  CUevent_st& event = driver.events.get(handle);
  if (event.capture && !external) {
    require(!event.capture->invalid, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    require(!stream.capture || stream.capture == event.capture, CUDA_ERROR_STREAM_CAPTURE_MERGE);
    require(&stream != context.default_stream.get(), CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
    stream.capture = event.capture;
    stream.capture_tail.insert(event.capture_tail.begin(), event.capture_tail.end());
    return;
  }
  if (stream.capture && !external) {
    stream.capture->invalid = true;
    throw Error{CUDA_ERROR_STREAM_CAPTURE_ISOLATION};
  }
  if (stream.capture || recorded(event)) {
    const std::uint32_t number = stream.capture ? 0 : event.state->recorded.load();
    submit(driver, stream, event_message(Kind::kWaitEvent, event, number));
  }
}

}  // namespace
}  // namespace cuda_emu

using namespace cuda_emu;

CUresult cuEventCreate(CUevent* event, unsigned flags) {
  return enter_context([&](Driver& driver, CUctx_st& context) {
    require(event != nullptr && (flags & ~kEventFlags) == 0);
    require((flags & CU_EVENT_INTERPROCESS) == 0 || (flags & CU_EVENT_DISABLE_TIMING) != 0);
    require(!driver.failures.now("event"), CUDA_ERROR_OUT_OF_MEMORY);
    auto made = std::make_unique<CUevent_st>();
    made->context = &context;
    made->flags = flags;
    made->slot = driver.event_slots.take();
    made->state = driver.executor->events() + made->slot;
    made->before = made->state->recorded.load();
    *event = driver.events.add(std::move(made));
  });
}

CUresult cuEventDestroy(CUevent event) {
  return enter([&](Driver& driver) {
    const std::unique_ptr<CUevent_st> gone = driver.events.remove(event);
    if (gone->table == kOwnEvents) driver.event_slots.give_back(gone->slot);
  });
}

CUresult cuEventRecord(CUevent event, CUstream stream) {
  return enter_context([&](Driver& driver, CUctx_st& context) {
    require(!driver.failures.now("event_record"), CUDA_ERROR_OUT_OF_MEMORY);
    record(driver, context, event, stream, false);
  });
}

CUresult cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned flags) {
  return enter_context([&](Driver& driver, CUctx_st& context) {
    require(flags == CU_EVENT_RECORD_DEFAULT || flags == CU_EVENT_RECORD_EXTERNAL);
    record(driver, context, event, stream, flags == CU_EVENT_RECORD_EXTERNAL);
  });
}

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags) {
  return enter_context([&](Driver& driver, CUctx_st& context) {
    require(flags == CU_EVENT_WAIT_DEFAULT || flags == CU_EVENT_WAIT_EXTERNAL);
    make_wait(driver, context, stream, event, flags == CU_EVENT_WAIT_EXTERNAL);
  });
}

CUresult cuEventQuery(CUevent handle) {
  return enter([&](Driver& driver) {
    CUevent_st& event = driver.events.get(handle);
    require_not_captured(event);
    driver.executor->check();
    require(completed(event), CUDA_ERROR_NOT_READY);
  });
}

CUresult cuEventSynchronize(CUevent handle) {
  return enter([&](Driver& driver) {
    CUevent_st& event = driver.events.get(handle);
    require_not_captured(event);
    if (completed(event)) return driver.executor->check();
    EventState& state = *event.state;
    Executor& executor = *driver.executor;
    const Unlocked unlocked(driver.mutex);
    executor.wait_for_event(state, state.recorded.load());
  });
}

CUresult cuEventElapsedTime(float* milliseconds, CUevent from_handle, CUevent to_handle) {
  return enter([&](Driver& driver) {
    require(milliseconds != nullptr);
    CUevent_st& from = driver.events.get(from_handle);
    CUevent_st& to = driver.events.get(to_handle);
    for (CUevent_st* event : {&from, &to}) {
      require_not_captured(*event);
      require((event->flags & CU_EVENT_DISABLE_TIMING) == 0 && recorded(*event), CUDA_ERROR_INVALID_HANDLE);
    }
    driver.executor->check();
    require(completed(from) && completed(to), CUDA_ERROR_NOT_READY);
    const auto nanoseconds = static_cast<std::int64_t>(to.state->nanoseconds.load() - from.state->nanoseconds.load());
    *milliseconds = static_cast<float>(static_cast<double>(nanoseconds) * 1e-6);
  });
}

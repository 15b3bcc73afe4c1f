// Streams, and the order of their operations.
#include <algorithm>

#include "driver/driver.hpp"

namespace cuda_emu {
namespace {

CUstream_st& thread_stream(Driver& driver, CUctx_st& context) {
  std::unique_ptr<CUstream_st>& stream = context.thread_streams[std::this_thread::get_id()];
  if (!stream) stream = make_stream(driver, context, CU_STREAM_DEFAULT, 0);
  return *stream;
}

bool blocking(const CUstream_st& stream) { return (stream.flags & CU_STREAM_NON_BLOCKING) == 0; }

template <class Visit>
void for_each_stream(const Driver& driver, const CUctx_st& context, Visit visit) {
  for (const auto& [thread, stream] : context.thread_streams) visit(*stream);
  driver.streams.for_each([&](CUstream_st& stream) {
    if (stream.context == &context) visit(stream);
  });
}

void wait_in(Driver& driver, const CUstream_st& waiter, std::uint32_t slot, std::uint32_t number) {
  Message message{};
  message.kind = Kind::kWaitStream;
  message.stream = waiter.slot;
  message.other = {slot, number};
  driver.executor->submit(message);
}

// An operation of the legacy default stream comes after all that was submitted to blocking streams before it, and before
// all that is submitted to them after it.
void order_with_default_stream(Driver& driver, CUstream_st& stream) {
  Executor& executor = *driver.executor;
  const CUctx_st& context = *stream.context;
  if (&stream == context.default_stream.get()) {
    for_each_stream(driver, context, [&](const CUstream_st& other) {
      if (blocking(other) && !executor.idle(other.slot)) wait_in(driver, stream, other.slot, executor.submitted(other.slot));
    });
  } else if (blocking(stream)) {
    const std::uint32_t slot = context.default_stream->slot;
    const std::uint32_t number = executor.submitted(slot);
    if (executor.idle(slot) || stream.ordered_after_default == number) return;
    wait_in(driver, stream, slot, number);
    stream.ordered_after_default = number;
  }
}

}  // namespace

std::uint32_t StreamSlots::take(const Driver& driver) {
  const auto idle = std::ranges::find_if(free_, [&](std::uint32_t slot) { return driver.executor->idle(slot); });
  if (idle != free_.end()) {
    const std::uint32_t slot = *idle;
    free_.erase(idle);
    return slot;
  }
  require(unused_ < kMaxStreams, CUDA_ERROR_OUT_OF_MEMORY);
  return unused_++;
}

std::unique_ptr<CUstream_st> make_stream(Driver& driver, CUctx_st& context, unsigned flags, int priority) {
  auto stream = std::make_unique<CUstream_st>();
  stream->context = &context;
  stream->slot = driver.stream_slots.take(driver);
  stream->flags = flags;
  stream->priority = priority;
  stream->id = driver.next_id++;
  return stream;
}

CUstream_st& stream_of(Driver& driver, CUctx_st& context, CUstream handle) {
  if (handle == nullptr || handle == CU_STREAM_LEGACY) return *context.default_stream;
  if (handle == CU_STREAM_PER_THREAD) return thread_stream(driver, context);
  return driver.streams.get(handle);
}

std::optional<std::uint32_t> submit(Driver& driver, CUstream_st& stream, Message message,
                                    std::span<const std::byte> payload) {
  if (stream.capture) {
    add_node(stream, message, payload);
    return std::nullopt;
  }
  if (&stream == stream.context->default_stream.get()) forbid_default_stream_during_capture(driver, *stream.context);
  order_with_default_stream(driver, stream);
  message.stream = stream.slot;
  return driver.executor->submit(message, payload);
}

void wait_for(Driver& driver, std::uint32_t slot, std::uint32_t number) {
  Executor& executor = *driver.executor;
  const Unlocked unlocked(driver.mutex);
  executor.wait_for_stream(slot, number);
}

void synchronize(Driver& driver, CUstream_st& stream) {
  if (&stream == stream.context->default_stream.get()) {
    // Whoever waits for the default stream waits for what it would have waited for.
    Message nothing{};
    nothing.kind = Kind::kNothing;
    submit(driver, stream, nothing);
  }
  wait_for(driver, stream.slot, driver.executor->submitted(stream.slot));
}

void synchronize(Driver& driver, CUctx_st& context) {
  std::erase_if(context.last_of_destroyed_streams,
                [&](const StreamOperation& one) { return driver.executor->completed(one.stream, one.number); });
  std::vector<StreamOperation> last = context.last_of_destroyed_streams;
  const auto note = [&](const CUstream_st& stream) {
    last.push_back({stream.slot, driver.executor->submitted(stream.slot)});
  };
  note(*context.default_stream);
  for_each_stream(driver, context, note);
  for (const StreamOperation& operation : last) wait_for(driver, operation.stream, operation.number);
}

}  // namespace cuda_emu

using namespace cuda_emu;

CUresult cuStreamCreateWithPriority(CUstream* stream, unsigned flags, int priority) {
  return enter_context([&](Driver& driver, CUctx_st& context) {
    require(stream != nullptr && (flags & ~static_cast<unsigned>(CU_STREAM_NON_BLOCKING)) == 0);
    require(!driver.failures.now("stream"), CUDA_ERROR_OUT_OF_MEMORY);
    *stream = driver.streams.add(make_stream(driver, context, flags, std::clamp(priority, -5, 0)));
  });
}

CUresult cuStreamCreate(CUstream* stream, unsigned flags) { return cuStreamCreateWithPriority(stream, flags, 0); }

// What was submitted is still done.
CUresult cuStreamDestroy(CUstream stream) {
  return enter([&](Driver& driver) {
    require(stream != nullptr && stream != CU_STREAM_LEGACY && stream != CU_STREAM_PER_THREAD, CUDA_ERROR_INVALID_HANDLE);
    const std::unique_ptr<CUstream_st> gone = driver.streams.remove(stream);
    if (gone->capture) gone->capture->invalid = true;
    const StreamOperation last{gone->slot, driver.executor->submitted(gone->slot)};
    gone->context->last_of_destroyed_streams.push_back(last);
    // The default stream still has to wait for what is under way in it.
    if (blocking(*gone)) wait_in(driver, *gone->context->default_stream, last.stream, last.number);
    driver.stream_slots.give_back(gone->slot);
  });
}

CUresult cuStreamSynchronize(CUstream handle) {
  return enter_context([&](Driver& driver, CUctx_st& context) {
    CUstream_st& stream = stream_of(driver, context, handle);
    if (stream.capture) {
      stream.capture->invalid = true;
      throw Error{CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED};
    }
    synchronize(driver, stream);
  });
}

CUresult cuStreamQuery(CUstream handle) {
  return enter_context([&](Driver& driver, CUctx_st& context) {
    const CUstream_st& stream = stream_of(driver, context, handle);
    if (stream.capture) {
      stream.capture->invalid = true;
      throw Error{CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED};
    }
    bool idle = driver.executor->idle(stream.slot);
    if (&stream == context.default_stream.get()) {
      for_each_stream(driver, context, [&](const CUstream_st& other) {
        idle = idle && (!blocking(other) || driver.executor->idle(other.slot));
      });
    }
    require(idle, CUDA_ERROR_NOT_READY);
  });
}

CUresult cuStreamGetFlags(CUstream handle, unsigned* flags) {
  return enter_context([&](Driver& driver, CUctx_st& context) {
    require(flags != nullptr);
    *flags = stream_of(driver, context, handle).flags;
  });
}

CUresult cuStreamGetPriority(CUstream handle, int* priority) {
  return enter_context([&](Driver& driver, CUctx_st& context) {
    require(priority != nullptr);
    *priority = stream_of(driver, context, handle).priority;
  });
}

CUresult cuStreamGetId(CUstream handle, unsigned long long* id) {
  return enter_context([&](Driver& driver, CUctx_st& context) {
    require(id != nullptr);
    *id = stream_of(driver, context, handle).id;
  });
}

CUresult cuStreamGetCtx(CUstream handle, CUcontext* owner) {
  return enter_context([&](Driver& driver, CUctx_st& context) {
    require(owner != nullptr);
    *owner = stream_of(driver, context, handle).context;
  });
}

CUresult cuStreamGetDevice(CUstream handle, CUdevice* device) {
  return enter_context([&](Driver& driver, CUctx_st& context) {
    require(device != nullptr);
    *device = stream_of(driver, context, handle).context->device;
  });
}

CUresult cuStreamAttachMemAsync(CUstream /*stream*/, CUdeviceptr /*pointer*/, size_t /*bytes*/, unsigned /*flags*/) {
  return enter_context([](Driver& /*driver*/, const CUctx_st& /*context*/) {});
}

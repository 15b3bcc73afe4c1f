// Contexts: primary ones and others, the thread's current one, peers.
#include <algorithm>
#include <vector>

#include "driver/driver.hpp"

namespace cuda_emu {
namespace {

// The last is current. May hold null: cuCtxSetCurrent(nullptr) on an empty stack leaves it empty.
thread_local std::vector<CUcontext> stack;

Executor& start_executor(Driver& driver) {
  if (!driver.executor) {
    driver.executor = std::make_unique<Executor>(driver.settings);
    for (std::size_t ordinal = 0; ordinal < driver.devices.size(); ++ordinal) {
      Message message{};
      message.kind = Kind::kExplainDevice;
      message.device = {static_cast<std::uint32_t>(ordinal), driver.settings.multiprocessors * kBlocksPerMultiprocessor,
                        driver.devices[ordinal].lock};
      driver.executor->request(message);
    }
  }
  driver.executor->check();
  return *driver.executor;
}

CUcontext make_context(Driver& driver, CUdevice device, unsigned flags, bool primary) {
  driver.device(device);
  start_executor(driver);
  auto context = std::make_unique<CUctx_st>();
  context->device = device;
  context->flags = flags;
  context->primary = primary;
  context->id = driver.next_id++;
  context->default_stream = make_stream(driver, *context, CU_STREAM_DEFAULT, 0);
  return driver.contexts.add(std::move(context));
}

// With all that belongs to it. Work under way is waited for.
void destroy_context(Driver& driver, CUcontext handle) {
  CUctx_st& context = driver.contexts.get(handle, CUDA_ERROR_INVALID_CONTEXT);
  try {
    synchronize(driver, context);
  } catch (const Error&) {
    // A context that was lost goes without being waited for.
  }
  for (auto entry = driver.memory.begin(); entry != driver.memory.end();) {
    Allocation& allocation = (entry++)->second;
    if (allocation.context == handle) release(driver, allocation);
  }
  driver.modules.remove_if([&](const CUmod_st& module) { return module.context == handle; });
  driver.events.remove_if([&](const CUevent_st& event) {
    if (event.context == handle && event.table == kOwnEvents) driver.event_slots.give_back(event.slot);
    return event.context == handle;
  });
  driver.streams.remove_if([&](const CUstream_st& stream) {
    if (stream.context == handle) driver.stream_slots.give_back(stream.slot);
    return stream.context == handle;
  });
  driver.stream_slots.give_back(context.default_stream->slot);
  for (const auto& [thread, stream] : context.thread_streams) driver.stream_slots.give_back(stream->slot);
  driver.contexts.for_each([&](CUctx_st& other) { other.peers.erase(handle); });
  driver.contexts.remove(handle);
}

CUcontext current() { return stack.empty() ? nullptr : stack.back(); }

}  // namespace

CUctx_st& current_context(Driver& driver) {
  require(current() != nullptr, CUDA_ERROR_INVALID_CONTEXT);
  CUctx_st& context = driver.contexts.get(current(), CUDA_ERROR_CONTEXT_IS_DESTROYED);
  driver.executor->check();
  return context;
}

}  // namespace cuda_emu

using namespace cuda_emu;

CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice ordinal) {
  return enter([&](Driver& driver) {
    require(context != nullptr);
    EmulatedDevice& device = driver.device(ordinal);
    if (device.primary == nullptr) device.primary = make_context(driver, ordinal, device.primary_flags, true);
    driver.executor->check();
    ++device.primary_references;
    *context = device.primary;
  });
}

CUresult cuDevicePrimaryCtxRelease(CUdevice ordinal) {
  return enter([&](Driver& driver) {
    EmulatedDevice& device = driver.device(ordinal);
    require(device.primary_references > 0, CUDA_ERROR_INVALID_CONTEXT);
    if (--device.primary_references > 0) return;
    destroy_context(driver, std::exchange(device.primary, nullptr));
  });
}

CUresult cuDevicePrimaryCtxReset(CUdevice ordinal) {
  return enter([&](Driver& driver) {
    EmulatedDevice& device = driver.device(ordinal);
    if (device.primary != nullptr) destroy_context(driver, std::exchange(device.primary, nullptr));
    device.primary_references = 0;
  });
}

CUresult cuDevicePrimaryCtxSetFlags(CUdevice ordinal, unsigned flags) {
  return enter([&](Driver& driver) {
    EmulatedDevice& device = driver.device(ordinal);
    device.primary_flags = flags;
    if (device.primary != nullptr) device.primary->flags = flags;
  });
}

CUresult cuDevicePrimaryCtxGetState(CUdevice ordinal, unsigned* flags, int* active) {
  return enter([&](Driver& driver) {
    const EmulatedDevice& device = driver.device(ordinal);
    require(flags != nullptr && active != nullptr);
    *flags = device.primary_flags;
    *active = device.primary != nullptr ? 1 : 0;
  });
}

CUresult cuCtxCreate(CUcontext* context, CUctxCreateParams* /*parameters*/, unsigned flags, CUdevice device) {
  return enter([&](Driver& driver) {
    require(context != nullptr);
    *context = make_context(driver, device, flags, false);
    stack.push_back(*context);
  });
}

CUresult cuCtxDestroy(CUcontext context) {
  return enter([&](Driver& driver) {
    require(!driver.contexts.get(context, CUDA_ERROR_INVALID_CONTEXT).primary, CUDA_ERROR_INVALID_CONTEXT);
    destroy_context(driver, context);
    if (current() == context) stack.pop_back();
  });
}

CUresult cuCtxPushCurrent(CUcontext context) {
  return enter([&](Driver& driver) {
    driver.contexts.get(context, CUDA_ERROR_INVALID_CONTEXT);
    stack.push_back(context);
  });
}

CUresult cuCtxPopCurrent(CUcontext* context) {
  return enter([&](Driver& /*driver*/) {
    require(!stack.empty(), CUDA_ERROR_INVALID_CONTEXT);
    if (context != nullptr) *context = stack.back();
    stack.pop_back();
  });
}

CUresult cuCtxSetCurrent(CUcontext context) {
  return enter([&](Driver& driver) {
    if (context != nullptr) driver.contexts.get(context, CUDA_ERROR_INVALID_CONTEXT);
    if (!stack.empty()) stack.pop_back();
    if (context != nullptr) stack.push_back(context);
  });
}

CUresult cuCtxGetCurrent(CUcontext* context) {
  return enter([&](Driver& /*driver*/) {
    require(context != nullptr);
    *context = current();
  });
}

CUresult cuCtxGetDevice(CUdevice* device) {
  return enter_context([&](Driver& /*driver*/, const CUctx_st& context) {
    require(device != nullptr);
    *device = context.device;
  });
}

CUresult cuCtxGetFlags(unsigned* flags) {
  return enter_context([&](Driver& /*driver*/, const CUctx_st& context) {
    require(flags != nullptr);
    *flags = context.flags;
  });
}

CUresult cuCtxSetFlags(unsigned flags) {
  return enter_context([&](Driver& /*driver*/, CUctx_st& context) { context.flags = flags; });
}

CUresult cuCtxGetId(CUcontext context, unsigned long long* id) {
  return enter([&](Driver& driver) {
    require(id != nullptr);
    *id = driver.contexts.get(context != nullptr ? context : current(), CUDA_ERROR_CONTEXT_IS_DESTROYED).id;
  });
}

CUresult cuCtxGetApiVersion(CUcontext context, unsigned* version) {
  return enter([&](Driver& driver) {
    require(version != nullptr);
    driver.contexts.get(context != nullptr ? context : current(), CUDA_ERROR_INVALID_CONTEXT);
    *version = CUDA_VERSION;
  });
}

CUresult cuCtxSynchronize() {
  return enter_context([](Driver& driver, CUctx_st& context) {
    forbid_during_capture(driver);
    synchronize(driver, context);
  });
}

CUresult cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  return enter_context([&](Driver& /*driver*/, const CUctx_st& /*context*/) {
    if (least != nullptr) *least = 0;
    if (greatest != nullptr) *greatest = -5;
  });
}

CUresult cuCtxGetLimit(size_t* value, CUlimit limit) {
  return enter_context([&](Driver& /*driver*/, const CUctx_st& /*context*/) {
    require(value != nullptr);
    require(limit < CU_LIMIT_MAX, CUDA_ERROR_UNSUPPORTED_LIMIT);
    *value = limit == CU_LIMIT_STACK_SIZE ? 1024 : 0;
  });
}

CUresult cuCtxSetLimit(CUlimit limit, size_t /*value*/) {
  return enter_context(
      [&](Driver& /*driver*/, const CUctx_st& /*context*/) { require(limit < CU_LIMIT_MAX, CUDA_ERROR_UNSUPPORTED_LIMIT); });
}

CUresult cuCtxSetCacheConfig(CUfunc_cache /*config*/) {
  return enter_context([](Driver& /*driver*/, const CUctx_st& /*context*/) {});
}

CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags) {
  return enter_context([&](Driver& driver, CUctx_st& context) {
    require(flags == 0);
    const CUctx_st& other = driver.contexts.get(peer, CUDA_ERROR_INVALID_CONTEXT);
    require(peer != &context, CUDA_ERROR_INVALID_CONTEXT);
    require(driver.settings.peer && other.device != context.device, CUDA_ERROR_PEER_ACCESS_UNSUPPORTED);
    require(context.peers.insert(peer).second, CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
  });
}

CUresult cuCtxDisablePeerAccess(CUcontext peer) {
  return enter_context([&](Driver& driver, CUctx_st& context) {
    driver.contexts.get(peer, CUDA_ERROR_INVALID_CONTEXT);
    require(context.peers.erase(peer) == 1, CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
  });
}

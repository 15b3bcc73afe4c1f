#include "cuda/ipc.hpp"

#include <sys/random.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <list>
#include <mutex>
#include <utility>

#include "base/error.hpp"
#include "cuda/context.hpp"

namespace xylem::cuda {
namespace {

// Mappings take address space of the device and hold memory that its owner has freed.
constexpr std::size_t kMostOpen = 64;

struct OpenedBuffers {
  std::mutex mutex;
  std::list<OpenedBuffer> recent;  // the last used first
};

// Never destroyed: see PinnedMemory's pool.
OpenedBuffers& opened_buffers() {
  static OpenedBuffers& it = *new OpenedBuffers;
  return it;
}

bool same_allocation(const ExportedBuffer& a, const ExportedBuffer& b) {
  return a.process == b.process && a.allocation == b.allocation && a.base == b.base && a.bytes == b.bytes;
}

std::atomic<std::uint8_t> told_apart{0};  // 0: not

// Another allocation lies where this one was, so this one has gone.
bool replaced(const ExportedBuffer& old, const ExportedBuffer& now) {
  return old.process == now.process && old.base < now.base + now.bytes && now.base < old.base + old.bytes;
}

}  // namespace

std::uint64_t this_process() {
  static const std::uint64_t token = [] {
    std::uint64_t random = 0;
    if (getrandom(&random, sizeof random, 0) != sizeof random) throw system_error("getrandom");
    return random | 1;
  }();
  return token;
}

DeviceUuid uuid_of(int device) {
  const Driver& driver = the_driver();
  CUuuid uuid{};
  check(driver, driver.device_get_uuid(&uuid, device), "cuDeviceGetUuid");
  DeviceUuid result;
  static_assert(sizeof uuid.bytes == sizeof result);
  std::memcpy(result.data(), uuid.bytes, sizeof result);
  if (told_apart != 0) result[0] ^= told_apart++;
  return result;
}

void detail::tell_apart() { told_apart = 1; }

ExportedBuffer export_buffer(const void* address, const Memory& memory) {
  const Driver& driver = the_driver();
  const ContextScope scope(driver, memory);
  const auto place = reinterpret_cast<CUdeviceptr>(address);
  CUdeviceptr base = 0;
  std::size_t bytes = 0;
  CUipcMemHandle handle;
  check(driver, driver.mem_get_address_range(&base, &bytes, place), "cuMemGetAddressRange");
  check(driver, driver.ipc_get_mem_handle(&handle, base), "cuIpcGetMemHandle");
  ExportedBuffer buffer{this_process(), memory.allocation, base, bytes, place - base, {}};
  static_assert(sizeof handle == sizeof buffer.handle);
  std::memcpy(buffer.handle.data(), &handle, sizeof handle);
  return buffer;
}

OpenedBuffer::OpenedBuffer(const ExportedBuffer& buffer, const Memory& near) : what_(buffer), near_(near) {
  const Driver& driver = the_driver();
  const ContextScope scope(driver, near);
  if (buffer.process == this_process()) {
    base_ = reinterpret_cast<std::byte*>(buffer.base);
    const Memory there = memory_of(base_);
    if (there.context == near.context || there.context == nullptr) return;
    const CUresult result = driver.ctx_enable_peer_access(there.context, 0);
    if (result != CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED) check(driver, result, "cuCtxEnablePeerAccess");
    return;
  }
  CUipcMemHandle handle;
  std::memcpy(&handle, buffer.handle.data(), sizeof handle);
  CUdeviceptr base = 0;
  check(driver, driver.ipc_open_mem_handle(&base, handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS), "cuIpcOpenMemHandle");
  base_ = reinterpret_cast<std::byte*>(base);
  foreign_ = true;
}

OpenedBuffer::~OpenedBuffer() {
  const Driver* const driver = driver_in_process();
  if (!foreign_ || driver == nullptr) return;
  try {
    const ContextScope scope(*driver, near_);
    driver->ipc_close_mem_handle(reinterpret_cast<CUdeviceptr>(base_));
  } catch (const Error&) {
    // The program has ended the context, and with it the mapping.
  }
}

OpenedBuffer::OpenedBuffer(OpenedBuffer&& other) noexcept
    : what_(other.what_), near_(other.near_), base_(other.base_), foreign_(std::exchange(other.foreign_, false)) {}

std::byte* opened_buffer(const ExportedBuffer& buffer, const Memory& near) {
  if (buffer.process == this_process()) return reinterpret_cast<std::byte*>(buffer.base + buffer.offset);
  OpenedBuffers& all = opened_buffers();
  const std::lock_guard lock(all.mutex);
  const auto found = std::find_if(all.recent.begin(), all.recent.end(), [&](const OpenedBuffer& opened) {
    return same_allocation(opened.what(), buffer) && opened.near().context == near.context;
  });
  if (found == all.recent.end()) return nullptr;
  all.recent.splice(all.recent.begin(), all.recent, found);
  return found->base() + buffer.offset;
}

std::byte* open_buffer(const ExportedBuffer& buffer, const Memory& near) {
  if (std::byte* const known = opened_buffer(buffer, near)) return known;
  OpenedBuffers& all = opened_buffers();
  const std::lock_guard lock(all.mutex);
  all.recent.remove_if(
      [&](const OpenedBuffer& opened) { return replaced(opened.what(), buffer) && !same_allocation(opened.what(), buffer); });
  while (all.recent.size() >= kMostOpen) all.recent.pop_back();
  all.recent.emplace_front(buffer, near);
  return all.recent.front().base() + buffer.offset;
}

}  // namespace xylem::cuda

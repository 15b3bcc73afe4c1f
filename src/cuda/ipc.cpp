#include "cuda/ipc.hpp"

#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <list>
#include <mutex>
#include <utility>

#include "base/error.hpp"
#include "cuda/context.hpp"
#include "cuda/virtual_memory.hpp"

namespace xylem::cuda {
namespace {

// Mappings take address space of the device and hold memory that its owner has freed.
constexpr std::size_t kMostOpen = 64;

struct OpenedBuffers {
  std::mutex mutex;
  std::list<BufferLease> recent;  // the last used first

  BufferLease find(const ExportedBuffer& buffer, const Memory& near);
  // Makes room for one that is new.
  void drop_stale(const ExportedBuffer& now);
};

// Beside the list.
bool leased(const BufferLease& opened) { return opened.use_count() > 1; }

// Never destroyed: see PinnedMemory's pool.
OpenedBuffers& opened_buffers() {
  static OpenedBuffers& it = *new OpenedBuffers;
  return it;
}

bool same_allocation(const ExportedBuffer& a, const ExportedBuffer& b) {
  return a.process == b.process && a.allocation == b.allocation && a.base == b.base && a.bytes == b.bytes;
}

// Another allocation lies where this one was, so this one has gone.
bool replaced(const ExportedBuffer& old, const ExportedBuffer& now) {
  return old.process == now.process && old.base < now.base + now.bytes && now.base < old.base + old.bytes;
}

BufferLease OpenedBuffers::find(const ExportedBuffer& buffer, const Memory& near) {
  const auto found = std::find_if(recent.begin(), recent.end(), [&](const BufferLease& opened) {
    return same_allocation(opened->what(), buffer) && ContextKey(opened->near()) == ContextKey(near);
  });
  if (found == recent.end()) return nullptr;
  recent.splice(recent.begin(), recent, found);
  return recent.front();
}

void OpenedBuffers::drop_stale(const ExportedBuffer& now) {
  recent.remove_if(
      [&](const BufferLease& opened) { return replaced(opened->what(), now) && !same_allocation(opened->what(), now); });
  std::size_t unleased = 0;
  recent.remove_if([&](const BufferLease& opened) { return !leased(opened) && ++unleased >= kMostOpen; });
}

std::atomic<std::uint8_t> told_apart{0};  // 0: not

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

BufferExport::BufferExport(const void* address, std::size_t bytes, const Memory& memory) {
  const Driver& driver = the_driver();
  const ContextScope scope(driver, memory);
  const auto place = reinterpret_cast<CUdeviceptr>(address);
  CUdeviceptr base = 0;
  std::size_t all = 0;
  check(driver, driver.mem_get_address_range(&base, &all, place), "cuMemGetAddressRange");
  const ExportedBuffer info{this_process(), memory.allocation, base, all, place - base, {}, 0};
  CUipcMemHandle handle;
  static_assert(sizeof handle == sizeof info.handle);
  const CUresult result = driver.ipc_get_mem_handle(&handle, base);
  if (result == CUDA_SUCCESS) {
    info_ = info;
    std::memcpy(info_.handle.data(), &handle, sizeof handle);
    return;
  }
  if (!is_mapped(driver, base)) check(driver, result, "cuIpcGetMemHandle");
  if (place + bytes > base + all) throw Error(XYLEM_ERROR_UNSUPPORTED, "a buffer lies across several mappings");
  file_ = export_mapping(driver, base);
  const FileOfProcess where{getpid(), file_.get()};
  info_ = info;
  info_.mapped = 1;
  std::memcpy(info_.handle.data(), &where, sizeof where);
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
  CUdeviceptr base = 0;
  if (buffer.mapped != 0) {
    FileOfProcess where;
    std::memcpy(&where, buffer.handle.data(), sizeof where);
    base_ = reinterpret_cast<std::byte*>(import_mapping(driver, where, buffer.bytes, near.device));
    foreign_ = true;
    return;
  }
  CUipcMemHandle handle;
  std::memcpy(&handle, buffer.handle.data(), sizeof handle);
  check(driver, driver.ipc_open_mem_handle(&base, handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS), "cuIpcOpenMemHandle");
  base_ = reinterpret_cast<std::byte*>(base);
  foreign_ = true;
}

OpenedBuffer::~OpenedBuffer() {
  const Driver* const driver = driver_in_process();
  if (!foreign_ || driver == nullptr) return;
  try {
    const ContextScope scope(*driver, near_);
    const auto base = reinterpret_cast<CUdeviceptr>(base_);
    if (what_.mapped != 0) {
      unmap(*driver, base, what_.bytes);
    } else {
      driver->ipc_close_mem_handle(base);
    }
  } catch (const Error&) {
    // The program has ended the context, and with it the mapping.
  }
}

OpenedBuffer::OpenedBuffer(OpenedBuffer&& other) noexcept
    : what_(other.what_), near_(other.near_), base_(other.base_), foreign_(std::exchange(other.foreign_, false)) {}

BufferLease opened_buffer(const ExportedBuffer& buffer, const Memory& near) {
  OpenedBuffers& all = opened_buffers();
  const std::lock_guard lock(all.mutex);
  return all.find(buffer, near);
}

BufferLease open_buffer(const ExportedBuffer& buffer, const Memory& near) {
  if (buffer.process == this_process()) return std::make_shared<OpenedBuffer>(buffer, near);
  OpenedBuffers& all = opened_buffers();
  const std::lock_guard lock(all.mutex);
  if (BufferLease known = all.find(buffer, near)) return known;
  all.drop_stale(buffer);
  all.recent.push_front(std::make_shared<OpenedBuffer>(buffer, near));
  return all.recent.front();
}

HeldBuffer::~HeldBuffer() {
  if (lease_ == nullptr) return;
  OpenedBuffers& all = opened_buffers();
  const std::lock_guard lock(all.mutex);
  const auto found = std::find(all.recent.begin(), all.recent.end(), lease_);
  lease_.reset();
  if (found != all.recent.end() && !leased(*found)) all.recent.erase(found);
}

}  // namespace xylem::cuda

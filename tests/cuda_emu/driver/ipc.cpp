// Handles that other processes of the same machine and user can open. The owner keeps its memory files open while it lives,
// and its own addresses mean nothing in a handle: the opener finds the file through /proc and maps it where it likes.
#include "driver/ipc.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>

#include "driver/driver.hpp"

namespace cuda_emu {
namespace {

// In the owner's arena, far behind all memory: for each allocation that was exported, its id while it lives.
constexpr std::uint64_t kExports = std::uint64_t{1} << 45;

struct Owner {
  pid_t process;
  int file;
  std::uint64_t inode;
  std::uint64_t machine;
};

struct MemoryHandle {
  Owner owner;
  std::uint64_t device;
  std::uint64_t offset;
  std::uint64_t bytes;
  std::uint64_t id;
};
static_assert(sizeof(MemoryHandle) <= CU_IPC_HANDLE_SIZE);

struct EventHandle {
  Owner owner;
  std::uint32_t slot;
  std::uint32_t flags;
};
static_assert(sizeof(EventHandle) <= CU_IPC_HANDLE_SIZE);

std::uint64_t machine_number(const Driver& driver) { return stable_hash(driver.settings.machine, ~std::uint64_t{0}); }

std::uint64_t inode_of(int file) {
  struct stat status {};
  return fstat(file, &status) == 0 ? status.st_ino : 0;
}

Owner own_file(const Driver& driver, int file) { return {getpid(), file, inode_of(file), machine_number(driver)}; }

File open_file_of(const Driver& driver, const Owner& owner) {
  require(owner.machine == machine_number(driver), CUDA_ERROR_INVALID_HANDLE);
  require(owner.process != getpid(), CUDA_ERROR_INVALID_CONTEXT);  // a process does not open what is its own
  std::array<char, 64> path{};
  std::snprintf(path.data(), path.size(), "/proc/%d/fd/%d", owner.process, owner.file);
  File file(open(path.data(), O_RDWR | O_CLOEXEC));
  require(file && inode_of(file.get()) == owner.inode, CUDA_ERROR_INVALID_HANDLE);
  return file;
}

void set_export(const Driver& driver, const Allocation& allocation, std::uint64_t value) {
  const auto where = static_cast<off_t>(kExports + allocation.id * sizeof value);
  require(pwrite(driver.executor->arena_file(), &value, sizeof value, where) == sizeof value, CUDA_ERROR_OUT_OF_MEMORY);
}

bool still_exported(const File& arena, std::uint64_t id) {
  std::uint64_t value = 0;
  return pread(arena.get(), &value, sizeof value, static_cast<off_t>(kExports + id * sizeof value)) == sizeof value &&
         value == id;
}

template <class Handle, class Cuda>
void write_handle(Cuda* to, const Handle& handle) {
  std::memset(to, 0, sizeof *to);
  std::memcpy(to->reserved, &handle, sizeof handle);
}

template <class Handle, class Cuda>
Handle read_handle(const Cuda& from) {
  Handle handle{};
  std::memcpy(&handle, from.reserved, sizeof handle);
  return handle;
}

CUdeviceptr open_memory(Driver& driver, CUctx_st& context, const MemoryHandle& handle) {
  for (auto& [address, allocation] : driver.memory) {
    if (allocation.kind == MemoryKind::kImported && allocation.context == &context && allocation.imported_id == handle.id &&
        allocation.imported_inode == handle.owner.inode) {
      ++allocation.references;
      return address;
    }
  }
  const File arena = open_file_of(driver, handle.owner);
  require(still_exported(arena, handle.id), CUDA_ERROR_INVALID_HANDLE);
  require(handle.device == driver.device(context.device).lock || driver.settings.peer, CUDA_ERROR_PEER_ACCESS_UNSUPPORTED);
  Allocation imported{};
  imported.kind = MemoryKind::kImported;
  imported.imported_inode = handle.owner.inode;
  imported.imported_id = handle.id;
  return map_import(driver, context, std::move(imported), arena, handle.device, {handle.offset, handle.bytes}).address;
}

const OpenedEvents& opened_events(Driver& driver, const Owner& owner) {
  const auto known = std::ranges::find(driver.opened_events, owner.inode, &OpenedEvents::inode);
  if (known != driver.opened_events.end()) return *known;
  const File file = open_file_of(driver, owner);
  OpenedEvents events{};
  events.inode = owner.inode;
  void* const memory = mmap(nullptr, kMaxEvents * sizeof(EventState), PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
  require(memory != MAP_FAILED, CUDA_ERROR_OUT_OF_MEMORY);
  events.states = static_cast<EventState*>(memory);
  Message message{};
  message.kind = Kind::kMapEvents;
  const int descriptor = file.get();
  events.table = driver.executor->request(message, {}, {&descriptor, 1}).value;
  driver.opened_events.push_back(events);
  return driver.opened_events.back();
}

}  // namespace

Allocation& map_import(Driver& driver, CUctx_st& context, Allocation imported, const File& file, std::uint64_t device,
                       const FilePart& part) {
  const std::uint64_t mapped = round_up(part.bytes, kPage);
  const std::optional<std::uint64_t> address = driver.addresses.take(mapped);
  require(address.has_value(), CUDA_ERROR_OUT_OF_MEMORY);
  Message message{};
  message.kind = Kind::kMap;
  message.mapping = {*address, mapped, part.offset, 0, 0};
  const int descriptor = file.get();
  driver.executor->request(message, {}, {&descriptor, 1});
  imported.address = *address;
  imported.bytes = part.bytes;
  imported.mapped = mapped;
  imported.context = &context;
  // A device that this process does not see is named by the one that reaches it.
  const auto seen = std::ranges::find(driver.devices, device, &EmulatedDevice::lock);
  imported.device = seen == driver.devices.end() ? context.device : static_cast<CUdevice>(seen - driver.devices.begin());
  return driver.memory.add(std::move(imported));
}

void withdraw_export(Driver& driver, const Allocation& allocation) { set_export(driver, allocation, 0); }

}  // namespace cuda_emu

using namespace cuda_emu;

// The handle is of the whole allocation that the pointer lies in.
CUresult cuIpcGetMemHandle(CUipcMemHandle* handle, CUdeviceptr pointer) {
  return enter_context([&](Driver& driver, CUctx_st& /*context*/) {
    require(handle != nullptr);
    Allocation* const allocation = driver.memory.find(pointer);
    require(allocation != nullptr && allocation->kind == MemoryKind::kDevice);
    require(!driver.failures.now("ipc_get"), CUDA_ERROR_NOT_SUPPORTED);
    set_export(driver, *allocation, allocation->id);
    allocation->exported = true;
    write_handle(handle, MemoryHandle{own_file(driver, driver.executor->arena_file()), driver.device(allocation->device).lock,
                                      allocation->offset, allocation->bytes, allocation->id});
  });
}

CUresult cuIpcOpenMemHandle(CUdeviceptr* pointer, CUipcMemHandle handle, unsigned flags) {
  return enter_context([&](Driver& driver, CUctx_st& context) {
    require(pointer != nullptr && flags == CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS);
    forbid_during_capture(driver);
    require(!driver.failures.now("ipc_open"), CUDA_ERROR_MAP_FAILED);
    synchronize(driver, context);
    *pointer = open_memory(driver, context, read_handle<MemoryHandle>(handle));
  });
}

CUresult cuIpcCloseMemHandle(CUdeviceptr pointer) {
  return enter_context([&](Driver& driver, CUctx_st& /*context*/) {
    const auto opened = [&]() -> Allocation& {
      Allocation* const allocation = driver.memory.find(pointer);
      require(allocation != nullptr && allocation->kind == MemoryKind::kImported && allocation->address == pointer);
      return *allocation;
    };
    forbid_during_capture(driver);
    synchronize(driver, *opened().context);
    if (--opened().references == 0) release(driver, opened());
  });
}

CUresult cuIpcGetEventHandle(CUipcEventHandle* handle, CUevent event_handle) {
  return enter_context([&](Driver& driver, CUctx_st& /*context*/) {
    require(handle != nullptr);
    const CUevent_st& event = driver.events.get(event_handle);
    require((event.flags & CU_EVENT_INTERPROCESS) != 0 && event.table == kOwnEvents, CUDA_ERROR_INVALID_HANDLE);
    require(!driver.failures.now("ipc_get"), CUDA_ERROR_NOT_SUPPORTED);
    write_handle(handle, EventHandle{own_file(driver, driver.executor->events_file()), event.slot, event.flags});
  });
}

CUresult cuIpcOpenEventHandle(CUevent* event, CUipcEventHandle cuda_handle) {
  return enter_context([&](Driver& driver, CUctx_st& context) {
    require(event != nullptr);
    require(!driver.failures.now("ipc_open"), CUDA_ERROR_MAP_FAILED);
    const auto handle = read_handle<EventHandle>(cuda_handle);
    const OpenedEvents& opened = opened_events(driver, handle.owner);
    auto made = std::make_unique<CUevent_st>();
    made->context = &context;
    made->flags = handle.flags;
    made->table = opened.table;
    made->slot = handle.slot;
    made->state = opened.states + handle.slot;
    *event = driver.events.add(std::move(made));
  });
}

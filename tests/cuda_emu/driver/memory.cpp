// Device memory: allocating, freeing, and what is known of an address.
#include "driver/memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>

#include "driver/driver.hpp"

namespace cuda_emu {
namespace {

bool cpu_may_touch(MemoryKind kind) { return kind == MemoryKind::kHost || kind == MemoryKind::kManaged; }

bool counts(MemoryKind kind) {
  return kind == MemoryKind::kDevice || kind == MemoryKind::kPool || kind == MemoryKind::kManaged;
}

void punch_hole(const Driver& driver, std::uint64_t offset, std::uint64_t bytes) {
  (void)fallocate(driver.executor->arena_file(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset),
                  static_cast<off_t>(bytes));
}

}  // namespace

Allocation& Memory::add(Allocation allocation) {
  allocation.id = next_id_++;
  return allocations_.insert_or_assign(allocation.address, std::move(allocation)).first->second;
}

Allocation* Memory::find(std::uint64_t address) {
  auto next = allocations_.upper_bound(address);
  if (next == allocations_.begin()) return nullptr;
  Allocation& allocation = std::prev(next)->second;
  return address - allocation.address < allocation.bytes ? &allocation : nullptr;
}

bool Memory::overlaps(std::uint64_t address, std::uint64_t bytes) const {
  if (bytes == 0) return false;
  auto next = allocations_.lower_bound(address + bytes);
  if (next == allocations_.begin()) return false;
  const Allocation& last = std::prev(next)->second;
  return last.address + last.bytes > address;
}

std::uint64_t Memory::take_offset(std::uint64_t bytes) {
  const std::uint64_t offset = next_offset_;
  next_offset_ += bytes;
  return offset;
}

Allocation& allocate(Driver& driver, MemoryKind kind, CUdevice device, CUcontext context, std::uint64_t bytes) {
  require(bytes > 0);
  reap_stream_ordered_frees(driver);
  const std::uint64_t mapped = round_up(bytes, kPage);
  std::uint64_t& used = driver.device(device).used_bytes;
  require(!counts(kind) || (mapped <= driver.settings.memory_bytes && used <= driver.settings.memory_bytes - mapped),
          CUDA_ERROR_OUT_OF_MEMORY);
  const std::optional<std::uint64_t> address = driver.addresses.take(mapped);
  require(address.has_value(), CUDA_ERROR_OUT_OF_MEMORY);
  const std::uint64_t offset = driver.memory.take_offset(mapped);
  Message message{};
  message.kind = Kind::kMap;
  message.mapping = {*address, mapped, offset, 1, 0};
  driver.executor->request(message);
  if (cpu_may_touch(kind)) {
    void* const wanted = reinterpret_cast<void*>(*address);
    require(mmap(wanted, mapped, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, driver.executor->arena_file(),
                 static_cast<off_t>(offset)) == wanted,
            CUDA_ERROR_OUT_OF_MEMORY);
  }
  if (counts(kind)) used += mapped;
  Allocation allocation{};
  allocation.kind = kind;
  allocation.address = *address;
  allocation.bytes = bytes;
  allocation.mapped = mapped;
  allocation.offset = offset;
  allocation.device = device;
  allocation.context = context;
  return driver.memory.add(allocation);
}

void release(Driver& driver, Allocation& allocation) {
  if (allocation.kind == MemoryKind::kRegistered) return unregister_memory(driver, allocation);
  Message message{};
  message.kind = Kind::kUnmap;
  message.mapping = {allocation.address, allocation.mapped, 0, 0, 0};
  try {
    driver.executor->request(message);
  } catch (const Error&) {
    // An executor that was lost has nothing mapped any more.
  }
  if (cpu_may_touch(allocation.kind)) {
    mmap(reinterpret_cast<void*>(allocation.address), allocation.mapped, PROT_NONE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  }
  if (allocation.exported) withdraw_export(driver, allocation);
  if (allocation.in_arena()) punch_hole(driver, allocation.offset, allocation.mapped);
  if (counts(allocation.kind)) driver.device(allocation.device).used_bytes -= allocation.mapped;
  if (driver.settings.reuse && driver.addresses.contains(allocation.address)) {
    driver.addresses.give_back(allocation.address, allocation.mapped);
  }
  driver.memory.remove(allocation.address);
}

void reap_stream_ordered_frees(Driver& driver) {
  std::erase_if(driver.stream_ordered_frees, [&](const StreamOrderedFree& free) {
    if (!driver.executor->completed(free.slot, free.number)) return false;
    if (free.in_arena) {
      punch_hole(driver, free.offset, free.mapped);
      driver.device(free.device).used_bytes -= free.mapped;
    }
    if (driver.settings.reuse) driver.addresses.give_back(free.address, free.mapped);
    return true;
  });
}

}  // namespace cuda_emu

using namespace cuda_emu;

CUresult cuMemAlloc(CUdeviceptr* pointer, size_t bytes) {
  return enter_context([&](Driver& driver, CUctx_st& context) {
    require(pointer != nullptr);
    forbid_during_capture(driver);
    require(!driver.failures.now("alloc"), CUDA_ERROR_OUT_OF_MEMORY);
    synchronize(driver, context);
    *pointer = allocate(driver, MemoryKind::kDevice, context.device, &context, bytes).address;
  });
}

CUresult cuMemAllocPitch(CUdeviceptr* pointer, size_t* pitch, size_t width, size_t height, unsigned /*element_bytes*/) {
  if (pitch == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *pitch = round_up(width, 512);
  return cuMemAlloc(pointer, *pitch * height);
}

// As on a card, freeing waits for all that the context does, be it needed or not.
CUresult cuMemFree(CUdeviceptr pointer) {
  return enter_context([&](Driver& driver, CUctx_st& context) {
    if (pointer == 0) return;
    forbid_during_capture(driver);
    const auto freeable = [&] {
      Allocation* const allocation = driver.memory.find(pointer);
      require(allocation != nullptr && allocation->address == pointer);
      require(allocation->kind == MemoryKind::kDevice || allocation->kind == MemoryKind::kManaged ||
              allocation->kind == MemoryKind::kPool);
      return allocation;
    };
    Allocation* allocation = freeable();
    const std::uint64_t id = allocation->id;
    synchronize(driver, driver.contexts.has(allocation->context) ? *allocation->context : context);
    allocation = freeable();  // another thread may have freed it meanwhile
    require(allocation->id == id);
    if (allocation->pool != nullptr) allocation->pool->used_bytes -= allocation->bytes;
    release(driver, *allocation);
  });
}

CUresult cuMemGetInfo(size_t* free_bytes, size_t* total_bytes) {
  return enter_context([&](Driver& driver, CUctx_st& context) {
    require(free_bytes != nullptr && total_bytes != nullptr);
    reap_stream_ordered_frees(driver);
    *total_bytes = driver.settings.memory_bytes;
    *free_bytes = *total_bytes - driver.device(context.device).used_bytes;
  });
}

CUresult cuMemGetAddressRange(CUdeviceptr* base, size_t* bytes, CUdeviceptr pointer) {
  return enter_context([&](Driver& driver, CUctx_st& /*context*/) {
    const Allocation* const allocation = driver.memory.find(pointer);
    require(allocation != nullptr, CUDA_ERROR_NOT_FOUND);
    if (base != nullptr) *base = allocation->address;
    if (bytes != nullptr) *bytes = allocation->bytes;
  });
}

// Host memory that the device may touch: pinned, registered and managed.
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>

#include "driver/driver.hpp"
#include "driver/process_maps.hpp"

namespace cuda_emu {
namespace {

constexpr unsigned kHostAllocFlags = CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_WRITECOMBINED;
constexpr unsigned kRegisterFlags = CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP | CU_MEMHOSTREGISTER_READ_ONLY;

void* pointer_to(std::uint64_t address) { return reinterpret_cast<void*>(address); }

// Puts a copy of what is in the range in its place, in memory of another kind. The exchange itself is one step, but what
// another thread writes to these pages during the copy is lost: the one thing in which this differs from pinning.
void exchange(const MappedRange& range, int flags, int file) {
  const std::uint64_t bytes = range.end - range.begin;
  void* const copy = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, flags, file, 0);
  require(copy != MAP_FAILED, CUDA_ERROR_OUT_OF_MEMORY);
  std::memcpy(copy, pointer_to(range.begin), bytes);
  // Not mremap(): the hooks of UCX, which MPICH loads, replace it by a function of theirs that drops the address.
  require(syscall(SYS_mremap, copy, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, range.begin) != -1,
          CUDA_ERROR_OUT_OF_MEMORY);
}

std::uint64_t inode_of(const File& file) {
  struct stat status {};
  require(fstat(file.get(), &status) == 0, CUDA_ERROR_OPERATING_SYSTEM);
  return status.st_ino;
}

File share_in_place(Driver& driver, const MappedRange& range) {
  File file = shared_memory("cuda_emu_registered", range.end - range.begin);
  exchange(range, MAP_SHARED, file.get());
  driver.shared_in_place.insert(inode_of(file));
  return file;
}

// The reverse, save for what the program has meanwhile put something else in the place of.
void make_private_again(const Driver& driver, std::uint64_t begin, std::uint64_t end) {
  for (const MappedRange& range : mappings_of(begin, end)) {
    if (range.shared && driver.shared_in_place.contains(range.inode)) exchange(range, MAP_PRIVATE | MAP_ANONYMOUS, -1);
  }
}

void map_in_executor(Driver& driver, const MappedRange& range, const File& file, std::uint64_t offset) {
  Message message{};
  message.kind = Kind::kMap;
  message.mapping = {range.begin, range.end - range.begin, offset, 0, static_cast<std::uint8_t>(range.writable ? 0 : 1)};
  const int descriptor = file.get();
  driver.executor->request(message, {}, {&descriptor, 1});
}

void unmap_in_executor(Driver& driver, std::uint64_t begin, std::uint64_t end) {
  Message message{};
  message.kind = Kind::kUnmap;
  message.mapping = {begin, end - begin, 0, 0, 0};
  driver.executor->request(message);
}

struct Pages {
  std::uint64_t begin, end;
};

// The pages of a registered range, without a first or last one that another registered range has too.
Pages own_pages(Driver& driver, std::uint64_t address, std::uint64_t bytes) {
  Pages pages{address / kPage * kPage, round_up(address + bytes, kPage)};
  if (driver.memory.overlaps(pages.begin, address - pages.begin)) pages.begin += kPage;
  if (pages.end > pages.begin && driver.memory.overlaps(address + bytes, pages.end - (address + bytes))) pages.end -= kPage;
  return pages;
}

void register_memory(Driver& driver, CUctx_st& context, std::uint64_t address, std::uint64_t bytes, unsigned flags) {
  require(!driver.memory.overlaps(address, bytes), CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
  const Pages pages = own_pages(driver, address, bytes);
  if (pages.begin < pages.end) {
    const std::vector<MappedRange> ranges = mappings_of(pages.begin, pages.end);
    require(!ranges.empty());
    for (const MappedRange& range : ranges) {
      require(range.readable && (range.writable || (flags & CU_MEMHOSTREGISTER_READ_ONLY) != 0));
      require(range.shared || range.writable, CUDA_ERROR_NOT_SUPPORTED);
    }
    for (const MappedRange& range : ranges) {
      const File file = range.shared ? open_mapped_file(range) : share_in_place(driver, range);
      require(static_cast<bool>(file), CUDA_ERROR_NOT_SUPPORTED);
      map_in_executor(driver, range, file, range.shared ? range.offset : 0);
    }
  }
  Allocation allocation{};
  allocation.kind = MemoryKind::kRegistered;
  allocation.address = address;
  allocation.bytes = bytes;
  allocation.device = context.device;
  allocation.context = &context;
  allocation.flags = flags;
  driver.memory.add(allocation);
}

Allocation& host_allocation(Driver& driver, const void* pointer, MemoryKind kind, CUresult otherwise) {
  Allocation* const allocation = driver.memory.find(pointer);
  require(allocation != nullptr && allocation->kind == kind && pointer_to(allocation->address) == pointer, otherwise);
  return *allocation;
}

}  // namespace

void unregister_memory(Driver& driver, Allocation& allocation) {
  const std::uint64_t address = allocation.address;
  const std::uint64_t bytes = allocation.bytes;
  driver.memory.remove(address);
  const Pages pages = own_pages(driver, address, bytes);
  if (pages.begin >= pages.end) return;
  unmap_in_executor(driver, pages.begin, pages.end);
  make_private_again(driver, pages.begin, pages.end);
}

}  // namespace cuda_emu

using namespace cuda_emu;

CUresult cuMemHostAlloc(void** pointer, size_t bytes, unsigned flags) {
  return enter_context([&](Driver& driver, CUctx_st& context) {
    require(pointer != nullptr && (flags & ~kHostAllocFlags) == 0);
    forbid_during_capture(driver);
    require(!driver.failures.now("host_alloc"), CUDA_ERROR_OUT_OF_MEMORY);
    synchronize(driver, context);
    Allocation& allocation = allocate(driver, MemoryKind::kHost, context.device, &context, bytes);
    allocation.flags = flags;
    *pointer = pointer_to(allocation.address);
  });
}

CUresult cuMemAllocHost(void** pointer, size_t bytes) { return cuMemHostAlloc(pointer, bytes, 0); }

CUresult cuMemFreeHost(void* pointer) {
  return enter_context([&](Driver& driver, CUctx_st& context) {
    if (pointer == nullptr) return;
    forbid_during_capture(driver);
    host_allocation(driver, pointer, MemoryKind::kHost, CUDA_ERROR_INVALID_VALUE);
    synchronize(driver, context);
    release(driver, host_allocation(driver, pointer, MemoryKind::kHost, CUDA_ERROR_INVALID_VALUE));
  });
}

CUresult cuMemHostRegister(void* pointer, size_t bytes, unsigned flags) {
  return enter_context([&](Driver& driver, CUctx_st& context) {
    require(pointer != nullptr && bytes > 0);
    require((flags & ~kRegisterFlags) == 0, CUDA_ERROR_NOT_SUPPORTED);
    require(!driver.failures.now("register"), CUDA_ERROR_OUT_OF_MEMORY);
    synchronize(driver, context);
    register_memory(driver, context, reinterpret_cast<std::uint64_t>(pointer), bytes, flags);
  });
}

CUresult cuMemHostUnregister(void* pointer) {
  return enter_context([&](Driver& driver, CUctx_st& context) {
    host_allocation(driver, pointer, MemoryKind::kRegistered, CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
    synchronize(driver, context);
    unregister_memory(driver,
                      host_allocation(driver, pointer, MemoryKind::kRegistered, CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED));
  });
}

CUresult cuMemHostGetDevicePointer(CUdeviceptr* device_pointer, void* pointer, unsigned flags) {
  return enter_context([&](Driver& driver, CUctx_st& /*context*/) {
    const Allocation* const allocation = driver.memory.find(pointer);
    require(device_pointer != nullptr && flags == 0 && allocation != nullptr && !allocation->on_device());
    *device_pointer = reinterpret_cast<CUdeviceptr>(pointer);
  });
}

CUresult cuMemHostGetFlags(unsigned* flags, void* pointer) {
  return enter_context([&](Driver& driver, CUctx_st& /*context*/) {
    const Allocation* const allocation = driver.memory.find(pointer);
    require(flags != nullptr && allocation != nullptr && !allocation->on_device());
    *flags = allocation->flags | CU_MEMHOSTALLOC_DEVICEMAP;
  });
}

CUresult cuMemAllocManaged(CUdeviceptr* pointer, size_t bytes, unsigned flags) {
  return enter_context([&](Driver& driver, CUctx_st& context) {
    require(pointer != nullptr && (flags == CU_MEM_ATTACH_GLOBAL || flags == CU_MEM_ATTACH_HOST));
    forbid_during_capture(driver);
    require(!driver.failures.now("alloc"), CUDA_ERROR_OUT_OF_MEMORY);
    synchronize(driver, context);
    *pointer = allocate(driver, MemoryKind::kManaged, context.device, &context, bytes).address;
  });
}

// Managed memory has one place, so moving it is nothing to do.
CUresult cuMemAdvise(CUdeviceptr pointer, size_t /*bytes*/, CUmem_advise /*advice*/, CUmemLocation /*location*/) {
  return enter_context([&](Driver& driver, CUctx_st& /*context*/) { require(driver.memory.find(pointer) != nullptr); });
}

CUresult cuMemPrefetchAsync(CUdeviceptr pointer, size_t /*bytes*/, CUmemLocation /*location*/, unsigned flags,
                            CUstream stream) {
  return enter_context([&](Driver& driver, CUctx_st& context) {
    require(flags == 0 && driver.memory.find(pointer) != nullptr);
    Message nothing{};
    nothing.kind = Kind::kNothing;
    submit(driver, stream_of(driver, context, stream), nothing);
  });
}

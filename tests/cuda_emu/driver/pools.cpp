// Stream-ordered memory. Memory is there at once when it is allocated, and goes when the stream reaches the free: what
// touches it after that is caught.
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstring>

#include "driver/driver.hpp"

namespace cuda_emu {
namespace {

// What cuMemPoolExportPointer hands over.
struct PointerHandle {
  std::uint64_t device;
  std::uint64_t offset;
  std::uint64_t bytes;
};
static_assert(sizeof(PointerHandle) <= sizeof(CUmemPoolPtrExportData));

CUmemoryPool make_pool(Driver& driver, CUdevice device, CUmemAllocationHandleType handle_types) {
  auto pool = std::make_unique<CUmemPoolHandle_st>();
  pool->device = device;
  pool->handle_types = handle_types;
  return driver.pools.add(std::move(pool));
}

CUmemoryPool default_pool(Driver& driver, CUdevice ordinal) {
  EmulatedDevice& device = driver.device(ordinal);
  if (device.default_pool == nullptr) {
    device.default_pool = make_pool(driver, ordinal, CU_MEM_HANDLE_TYPE_NONE);
    device.default_pool->is_default = true;
    device.current_pool = device.default_pool;
  }
  return device.default_pool;
}

CUmemoryPool current_pool(Driver& driver, CUdevice ordinal) {
  default_pool(driver, ordinal);
  return driver.device(ordinal).current_pool;
}

void allocate_from(Driver& driver, CUctx_st& context, CUmemoryPool handle, std::size_t bytes, CUstream stream_handle,
                   CUdeviceptr* pointer) {
  require(pointer != nullptr);
  CUmemPoolHandle_st& pool = driver.pools.get(handle, CUDA_ERROR_INVALID_VALUE);
  CUstream_st& stream = stream_of(driver, context, stream_handle);
  require(!pool.imported);
  require(!stream.capture, CUDA_ERROR_NOT_SUPPORTED);  // memory nodes of graphs
  require(!driver.failures.now("alloc"), CUDA_ERROR_OUT_OF_MEMORY);
  Allocation& allocation = allocate(driver, MemoryKind::kPool, pool.device, &context, bytes);
  allocation.pool = &pool;
  pool.used_bytes += bytes;
  pool.used_bytes_high = std::max(pool.used_bytes_high, pool.used_bytes);
  *pointer = allocation.address;
}

void free_in_stream(Driver& driver, CUctx_st& context, CUdeviceptr pointer, CUstream stream_handle) {
  const Allocation* const allocation = driver.memory.find(pointer);
  require(allocation != nullptr && allocation->address == pointer);
  require(allocation->kind == MemoryKind::kPool || allocation->kind == MemoryKind::kImportedPool ||
          allocation->kind == MemoryKind::kDevice);
  CUstream_st& stream = stream_of(driver, context, stream_handle);
  require(!stream.capture, CUDA_ERROR_NOT_SUPPORTED);
  Message message{};
  message.kind = Kind::kRelease;
  message.mapping = {allocation->address, allocation->mapped, 0, 0, 0};
  const std::uint32_t number = submit(driver, stream, message).value_or(0);
  if (allocation->exported) withdraw_export(driver, *allocation);
  if (allocation->pool != nullptr && allocation->kind == MemoryKind::kPool) allocation->pool->used_bytes -= allocation->bytes;
  driver.stream_ordered_frees.push_back({stream.slot, number, allocation->address, allocation->bytes, allocation->mapped,
                                         allocation->offset, allocation->device, allocation->in_arena()});
  driver.memory.remove(allocation->address);
}

std::uint64_t* pool_number(CUmemPoolHandle_st& pool, CUmemPool_attribute which) {
  switch (which) {
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
      return &pool.release_threshold;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT:
    case CU_MEMPOOL_ATTR_USED_MEM_CURRENT:
      return &pool.used_bytes;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
      return &pool.used_bytes_high;
    default:
      return nullptr;
  }
}

}  // namespace
}  // namespace cuda_emu

using namespace cuda_emu;

CUresult cuMemAllocAsync(CUdeviceptr* pointer, size_t bytes, CUstream stream) {
  return enter_context([&](Driver& driver, CUctx_st& context) {
    allocate_from(driver, context, current_pool(driver, context.device), bytes, stream, pointer);
  });
}

CUresult cuMemAllocFromPoolAsync(CUdeviceptr* pointer, size_t bytes, CUmemoryPool pool, CUstream stream) {
  return enter_context(
      [&](Driver& driver, CUctx_st& context) { allocate_from(driver, context, pool, bytes, stream, pointer); });
}

CUresult cuMemFreeAsync(CUdeviceptr pointer, CUstream stream) {
  return enter_context([&](Driver& driver, CUctx_st& context) { free_in_stream(driver, context, pointer, stream); });
}

CUresult cuDeviceGetDefaultMemPool(CUmemoryPool* pool, CUdevice device) {
  return enter([&](Driver& driver) {
    require(pool != nullptr);
    *pool = default_pool(driver, device);
  });
}

CUresult cuDeviceGetMemPool(CUmemoryPool* pool, CUdevice device) {
  return enter([&](Driver& driver) {
    require(pool != nullptr);
    *pool = current_pool(driver, device);
  });
}

CUresult cuDeviceSetMemPool(CUdevice device, CUmemoryPool pool) {
  return enter([&](Driver& driver) {
    default_pool(driver, device);
    require(driver.pools.get(pool, CUDA_ERROR_INVALID_VALUE).device == device);
    driver.device(device).current_pool = pool;
  });
}

CUresult cuMemPoolCreate(CUmemoryPool* pool, const CUmemPoolProps* properties) {
  return enter([&](Driver& driver) {
    require(pool != nullptr && properties != nullptr && properties->location.type == CU_MEM_LOCATION_TYPE_DEVICE);
    require((properties->handleTypes & ~CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) == 0, CUDA_ERROR_NOT_SUPPORTED);
    driver.device(properties->location.id);
    *pool = make_pool(driver, properties->location.id, properties->handleTypes);
  });
}

CUresult cuMemPoolDestroy(CUmemoryPool handle) {
  return enter([&](Driver& driver) {
    const CUmemPoolHandle_st& pool = driver.pools.get(handle, CUDA_ERROR_INVALID_VALUE);
    require(!pool.is_default, CUDA_ERROR_NOT_SUPPORTED);
    for (auto& [address, allocation] : driver.memory) {
      if (allocation.pool == handle) allocation.pool = default_pool(driver, pool.device);
    }
    EmulatedDevice& device = driver.device(pool.device);
    if (device.current_pool == handle) device.current_pool = device.default_pool;
    driver.pools.remove(handle);
  });
}

CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t /*bytes*/) {
  return enter([&](Driver& driver) {
    driver.pools.get(pool, CUDA_ERROR_INVALID_VALUE);
    if (driver.executor) reap_stream_ordered_frees(driver);
  });
}

CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute which, void* value) {
  return enter([&](Driver& driver) {
    require(value != nullptr);
    const std::uint64_t* const number = pool_number(driver.pools.get(pool, CUDA_ERROR_INVALID_VALUE), which);
    if (number != nullptr) {
      *static_cast<cuuint64_t*>(value) = *number;
    } else {
      *static_cast<int*>(value) = 1;  // all ways of reuse are allowed
    }
  });
}

CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute which, void* value) {
  return enter([&](Driver& driver) {
    require(value != nullptr);
    std::uint64_t* const number = pool_number(driver.pools.get(pool, CUDA_ERROR_INVALID_VALUE), which);
    if (number != nullptr) *number = *static_cast<cuuint64_t*>(value);
  });
}

CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc* /*access*/, size_t /*count*/) {
  return enter([&](Driver& driver) {
    require(!driver.pools.get(pool, CUDA_ERROR_INVALID_VALUE).imported || driver.settings.peer, CUDA_ERROR_INVALID_DEVICE);
  });
}

CUresult cuMemPoolGetAccess(CUmemAccess_flags* flags, CUmemoryPool pool, CUmemLocation* /*location*/) {
  return enter([&](Driver& driver) {
    require(flags != nullptr);
    driver.pools.get(pool, CUDA_ERROR_INVALID_VALUE);
    *flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  });
}

// The descriptor is the caller's to close. It is of the process's whole arena: exported pointers say where in it.
CUresult cuMemPoolExportToShareableHandle(void* handle, CUmemoryPool pool, CUmemAllocationHandleType type,
                                          unsigned long long flags) {
  return enter_context([&](Driver& driver, CUctx_st& /*context*/) {
    require(handle != nullptr && flags == 0);
    require(driver.pools.get(pool, CUDA_ERROR_INVALID_VALUE).handle_types == type && type != CU_MEM_HANDLE_TYPE_NONE);
    require(!driver.failures.now("pool_export"), CUDA_ERROR_NOT_SUPPORTED);
    *static_cast<int*>(handle) = fcntl(driver.executor->arena_file(), F_DUPFD_CLOEXEC, 0);
  });
}

CUresult cuMemPoolImportFromShareableHandle(CUmemoryPool* pool, void* handle, CUmemAllocationHandleType type,
                                            unsigned long long flags) {
  return enter_context([&](Driver& driver, CUctx_st& context) {
    require(pool != nullptr && flags == 0 && type == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
    File arena(fcntl(static_cast<int>(reinterpret_cast<std::intptr_t>(handle)), F_DUPFD_CLOEXEC, 0));
    require(static_cast<bool>(arena));
    *pool = make_pool(driver, context.device, type);
    (*pool)->imported = true;
    (*pool)->arena = std::move(arena);
  });
}

CUresult cuMemPoolExportPointer(CUmemPoolPtrExportData* data, CUdeviceptr pointer) {
  return enter_context([&](Driver& driver, CUctx_st& /*context*/) {
    const Allocation* const allocation = driver.memory.find(pointer);
    require(data != nullptr && allocation != nullptr && allocation->kind == MemoryKind::kPool);
    require(allocation->pool->handle_types != CU_MEM_HANDLE_TYPE_NONE);
    const PointerHandle handle{driver.device(allocation->device).lock, allocation->offset, allocation->bytes};
    std::memset(data, 0, sizeof *data);
    std::memcpy(data->reserved, &handle, sizeof handle);
  });
}

CUresult cuMemPoolImportPointer(CUdeviceptr* pointer, CUmemoryPool pool_handle, CUmemPoolPtrExportData* data) {
  return enter_context([&](Driver& driver, CUctx_st& context) {
    require(pointer != nullptr && data != nullptr);
    CUmemPoolHandle_st& pool = driver.pools.get(pool_handle, CUDA_ERROR_INVALID_VALUE);
    require(pool.imported);
    PointerHandle handle{};
    std::memcpy(&handle, data->reserved, sizeof handle);
    Allocation imported{};
    imported.kind = MemoryKind::kImportedPool;
    imported.pool = &pool;
    *pointer =
        map_import(driver, context, std::move(imported), pool.arena, handle.device, {handle.offset, handle.bytes}).address;
  });
}

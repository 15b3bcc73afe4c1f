// What is known of a pointer.
#include <array>

#include "driver/driver.hpp"

namespace cuda_emu {
namespace {

CUmemorytype type_of(const Allocation& allocation) {
  const bool device = allocation.on_device() || allocation.kind == MemoryKind::kManaged;
  return device ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST;
}

unsigned long long handle_types(const Driver& driver, const Allocation& allocation) {
  if (allocation.kind == MemoryKind::kPool) return allocation.pool->handle_types;
  if (allocation.kind != MemoryKind::kVirtual) return CU_MEM_HANDLE_TYPE_NONE;
  return driver.virtual_memory.physical.at(allocation.handle).properties.requestedHandleTypes;
}

template <class T>
void put(void* to, T value) {
  *static_cast<T*>(to) = value;
}

// allocation is null for memory that is not ours.
void get_attribute(const Driver& driver, CUpointer_attribute which, CUdeviceptr pointer, const Allocation* allocation,
                   void* to) {
  const bool known = allocation != nullptr;
  switch (which) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
      return put<CUcontext>(to, known ? allocation->context : nullptr);
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      return put<unsigned>(to, known ? type_of(*allocation) : 0);
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
      return put<CUdeviceptr>(to, known ? pointer : 0);
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
      return put<void*>(to, known && !allocation->on_device() ? reinterpret_cast<void*>(pointer) : nullptr);
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
      return put<unsigned>(to, known && allocation->sync_memops ? 1 : 0);
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
      return put<unsigned long long>(to, known ? allocation->id : 0);
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
      return put<unsigned>(to, known && allocation->kind == MemoryKind::kManaged ? 1 : 0);
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      return put<int>(to, known ? allocation->device : CU_DEVICE_INVALID);
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
      return put<unsigned>(to, known && allocation->kind == MemoryKind::kDevice ? 1 : 0);
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
      return put<CUdeviceptr>(to, known ? allocation->address : 0);
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
      return put<std::size_t>(to, known ? allocation->bytes : 0);
    case CU_POINTER_ATTRIBUTE_MAPPED:
      return put<unsigned>(to, known ? 1 : 0);
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
      return put<unsigned long long>(to, known ? handle_types(driver, *allocation) : 0);
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
      return put<unsigned>(to, 0);
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
      return put<unsigned>(to, known ? CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READWRITE : 0);
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
      return put<CUmemoryPool>(to, known ? allocation->pool : nullptr);
    case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR:
      return put<CUdeviceptr>(to, known ? allocation->address : 0);
    case CU_POINTER_ATTRIBUTE_MAPPING_SIZE:
      return put<std::size_t>(to, known ? allocation->mapped : 0);
    default:
      throw Error{CUDA_ERROR_INVALID_VALUE};
  }
}

}  // namespace
}  // namespace cuda_emu

using namespace cuda_emu;

CUresult cuPointerGetAttribute(void* data, CUpointer_attribute which, CUdeviceptr pointer) {
  return enter_context([&](Driver& driver, CUctx_st& /*context*/) {
    const Allocation* const allocation = driver.memory.find(pointer);
    require(data != nullptr && allocation != nullptr);
    get_attribute(driver, which, pointer, allocation, data);
  });
}

// Unlike its singular, this takes any pointer, and says zero of those that are not ours.
CUresult cuPointerGetAttributes(unsigned count, CUpointer_attribute* which, void** data, CUdeviceptr pointer) {
  return enter_context([&](Driver& driver, CUctx_st& /*context*/) {
    require(which != nullptr && data != nullptr);
    const Allocation* const allocation = driver.memory.find(pointer);
    for (unsigned i = 0; i < count; ++i) get_attribute(driver, which[i], pointer, allocation, data[i]);
  });
}

CUresult cuPointerSetAttribute(const void* value, CUpointer_attribute which, CUdeviceptr pointer) {
  return enter_context([&](Driver& driver, CUctx_st& /*context*/) {
    Allocation* const allocation = driver.memory.find(pointer);
    require(value != nullptr && allocation != nullptr && which == CU_POINTER_ATTRIBUTE_SYNC_MEMOPS);
    allocation->sync_memops = *static_cast<const unsigned*>(value) != 0;
  });
}

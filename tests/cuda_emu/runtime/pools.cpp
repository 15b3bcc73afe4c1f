// Stream-ordered memory and its pools.
#include "runtime/call.hpp"

using namespace cuda_emu_runtime;

cudaError_t cudaMallocAsync(void** pointer, size_t bytes, cudaStream_t stream) {
  return with_device([&](const DriverCalls& driver) { return driver.cuMemAllocAsync(address_of(pointer), bytes, stream); });
}

cudaError_t cudaMallocFromPoolAsync(void** pointer, size_t bytes, cudaMemPool_t pool, cudaStream_t stream) {
  return with_device(
      [&](const DriverCalls& driver) { return driver.cuMemAllocFromPoolAsync(address_of(pointer), bytes, pool, stream); });
}

cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream) {
  return with_device([&](const DriverCalls& driver) { return driver.cuMemFreeAsync(address(pointer), stream); });
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
  return with_driver([&](const DriverCalls& driver) { return driver.cuDeviceGetDefaultMemPool(pool, device); });
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) {
  return with_driver([&](const DriverCalls& driver) { return driver.cuDeviceGetMemPool(pool, device); });
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
  return with_driver([&](const DriverCalls& driver) { return driver.cuDeviceSetMemPool(device, pool); });
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* properties) {
  return with_driver([&](const DriverCalls& driver) {
    if (properties == nullptr) return CUDA_ERROR_INVALID_VALUE;
    CUmemPoolProps wanted{};
    wanted.allocType = static_cast<CUmemAllocationType>(properties->allocType);
    wanted.handleTypes = static_cast<CUmemAllocationHandleType>(properties->handleTypes);
    wanted.location.type = static_cast<CUmemLocationType>(properties->location.type);
    wanted.location.id = properties->location.id;
    return driver.cuMemPoolCreate(pool, &wanted);
  });
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
  return with_driver([&](const DriverCalls& driver) { return driver.cuMemPoolDestroy(pool); });
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t bytes) {
  return with_driver([&](const DriverCalls& driver) { return driver.cuMemPoolTrimTo(pool, bytes); });
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr which, void* value) {
  return with_driver([&](const DriverCalls& driver) {
    return driver.cuMemPoolGetAttribute(pool, static_cast<CUmemPool_attribute>(which), value);
  });
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr which, void* value) {
  return with_driver([&](const DriverCalls& driver) {
    return driver.cuMemPoolSetAttribute(pool, static_cast<CUmemPool_attribute>(which), value);
  });
}

cudaError_t cudaMemPoolExportToShareableHandle(void* handle, cudaMemPool_t pool, cudaMemAllocationHandleType type,
                                               unsigned flags) {
  return with_device([&](const DriverCalls& driver) {
    return driver.cuMemPoolExportToShareableHandle(handle, pool, static_cast<CUmemAllocationHandleType>(type), flags);
  });
}

cudaError_t cudaMemPoolImportFromShareableHandle(cudaMemPool_t* pool, void* handle, cudaMemAllocationHandleType type,
                                                 unsigned flags) {
  return with_device([&](const DriverCalls& driver) {
    return driver.cuMemPoolImportFromShareableHandle(pool, handle, static_cast<CUmemAllocationHandleType>(type), flags);
  });
}

cudaError_t cudaMemPoolExportPointer(cudaMemPoolPtrExportData* data, void* pointer) {
  return with_device([&](const DriverCalls& driver) {
    return driver.cuMemPoolExportPointer(reinterpret_cast<CUmemPoolPtrExportData*>(data), address(pointer));
  });
}

cudaError_t cudaMemPoolImportPointer(void** pointer, cudaMemPool_t pool, cudaMemPoolPtrExportData* data) {
  return with_device([&](const DriverCalls& driver) {
    return driver.cuMemPoolImportPointer(address_of(pointer), pool, reinterpret_cast<CUmemPoolPtrExportData*>(data));
  });
}

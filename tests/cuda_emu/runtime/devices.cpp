// Devices.
#include <cstring>

#include "runtime/call.hpp"

using namespace cuda_emu_runtime;

namespace {

int attribute(const DriverCalls& driver, CUdevice_attribute which, int device) {
  int value = 0;
  return driver.cuDeviceGetAttribute(&value, which, device) == CUDA_SUCCESS ? value : 0;
}

}  // namespace

// A machine without a device is an error of its own.
cudaError_t cudaGetDeviceCount(int* count) {
  if (count == nullptr) return remember(cudaErrorInvalidValue);
  *count = 0;
  return with_driver([&](const DriverCalls& driver) { return driver.cuDeviceGetCount(count); });
}

cudaError_t cudaSetDevice(int device) {
  const DriverCalls* driver = nullptr;
  const cudaError_t error = initialise(driver);
  return remember(error != cudaSuccess ? error : set_device(*driver, device));
}

cudaError_t cudaGetDevice(int* device) {
  const DriverCalls* driver = nullptr;
  if (device == nullptr) return remember(cudaErrorInvalidValue);
  const cudaError_t error = initialise(driver);
  return remember(error != cudaSuccess ? error : get_device(*driver, *device));
}

cudaError_t cudaDeviceReset() {
  return with_device([&](const DriverCalls& driver) {
    int device = 0;
    CUresult result = driver.cuCtxGetDevice(&device);
    if (result == CUDA_SUCCESS) result = driver.cuDevicePrimaryCtxReset(device);
    forget_devices();
    return driver.cuCtxSetCurrent(nullptr) != CUDA_SUCCESS ? CUDA_ERROR_UNKNOWN : result;
  });
}

cudaError_t cudaDeviceSynchronize() {
  return with_device([](const DriverCalls& driver) { return driver.cuCtxSynchronize(); });
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr which, int device) {
  return with_driver([&](const DriverCalls& driver) {
    return driver.cuDeviceGetAttribute(value, static_cast<CUdevice_attribute>(which), device);
  });
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  return with_driver([&](const DriverCalls& driver) {
    if (properties == nullptr) return CUDA_ERROR_INVALID_VALUE;
    std::memset(properties, 0, sizeof *properties);
    CUuuid uuid{};
    CUresult result = driver.cuDeviceGetName(properties->name, sizeof properties->name, device);
    if (result == CUDA_SUCCESS) result = driver.cuDeviceGetUuid(&uuid, device);
    if (result == CUDA_SUCCESS) result = driver.cuDeviceTotalMem(&properties->totalGlobalMem, device);
    std::memcpy(&properties->uuid, &uuid, sizeof uuid);
    const auto get = [&](CUdevice_attribute which) { return attribute(driver, which, device); };
    properties->sharedMemPerBlock = static_cast<std::size_t>(get(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK));
    properties->regsPerBlock = get(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK);
    properties->warpSize = get(CU_DEVICE_ATTRIBUTE_WARP_SIZE);
    properties->maxThreadsPerBlock = get(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
    properties->maxThreadsPerMultiProcessor = get(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
    properties->major = get(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
    properties->minor = get(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
    properties->multiProcessorCount = get(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    properties->asyncEngineCount = get(CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT);
    properties->unifiedAddressing = get(CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING);
    properties->managedMemory = get(CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY);
    properties->concurrentManagedAccess = get(CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS);
    properties->concurrentKernels = get(CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS);
    properties->canMapHostMemory = get(CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY);
    properties->cooperativeLaunch = get(CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH);
    properties->streamPrioritiesSupported = get(CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED);
    properties->memoryPoolsSupported = get(CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED);
    properties->ipcEventSupported = get(CU_DEVICE_ATTRIBUTE_IPC_EVENT_SUPPORTED);
    properties->pciBusID = get(CU_DEVICE_ATTRIBUTE_PCI_BUS_ID);
    properties->l2CacheSize = get(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
    properties->memoryBusWidth = get(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
    return result;
  });
}

cudaError_t cudaDeviceGetPCIBusId(char* text, int length, int device) {
  return with_driver([&](const DriverCalls& driver) { return driver.cuDeviceGetPCIBusId(text, length, device); });
}

cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* text) {
  return with_driver([&](const DriverCalls& driver) { return driver.cuDeviceGetByPCIBusId(device, text); });
}

cudaError_t cudaSetDeviceFlags(unsigned flags) {
  return with_device([&](const DriverCalls& driver) {
    int device = 0;
    const CUresult result = driver.cuCtxGetDevice(&device);
    return result == CUDA_SUCCESS
               ? driver.cuDevicePrimaryCtxSetFlags(device, flags & ~static_cast<unsigned>(cudaDeviceMapHost))
               : result;
  });
}

cudaError_t cudaGetDeviceFlags(unsigned* flags) {
  return with_device([&](const DriverCalls& driver) { return driver.cuCtxGetFlags(flags); });
}

cudaError_t cudaDeviceGetLimit(size_t* value, cudaLimit limit) {
  return with_device([&](const DriverCalls& driver) { return driver.cuCtxGetLimit(value, static_cast<CUlimit>(limit)); });
}

cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value) {
  return with_device([&](const DriverCalls& driver) { return driver.cuCtxSetLimit(static_cast<CUlimit>(limit), value); });
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return with_device([&](const DriverCalls& driver) { return driver.cuCtxGetStreamPriorityRange(least, greatest); });
}

cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  return with_driver([&](const DriverCalls& driver) { return driver.cuDeviceCanAccessPeer(can, device, peer); });
}

cudaError_t cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr which, int device, int peer) {
  return with_driver([&](const DriverCalls& driver) {
    return driver.cuDeviceGetP2PAttribute(value, static_cast<CUdevice_P2PAttribute>(which), device, peer);
  });
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
  return with_device([&](const DriverCalls& driver) {
    CUcontext context = nullptr;
    const CUresult result = driver.cuDevicePrimaryCtxRetain(&context, peer);
    return result == CUDA_SUCCESS ? driver.cuCtxEnablePeerAccess(context, flags) : result;
  });
}

cudaError_t cudaDeviceDisablePeerAccess(int peer) {
  return with_device([&](const DriverCalls& driver) {
    CUcontext context = nullptr;
    const CUresult result = driver.cuDevicePrimaryCtxRetain(&context, peer);
    return result == CUDA_SUCCESS ? driver.cuCtxDisablePeerAccess(context) : result;
  });
}

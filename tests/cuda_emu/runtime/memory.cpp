// Memory, pointers and copies.
#include <array>

#include "runtime/call.hpp"

using namespace cuda_emu_runtime;

namespace {

bool known(cudaMemcpyKind kind) { return kind >= cudaMemcpyHostToHost && kind <= cudaMemcpyDefault; }

// With one address space the direction follows from the addresses.
CUDA_MEMCPY2D two_dimensional(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height) {
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
  copy.srcDevice = address(from);
  copy.srcPitch = from_pitch;
  copy.dstDevice = address(to);
  copy.dstPitch = to_pitch;
  copy.WidthInBytes = width;
  copy.Height = height;
  return copy;
}

}  // namespace

cudaError_t cudaMalloc(void** pointer, size_t bytes) {
  return with_device([&](const DriverCalls& driver) {
    if (pointer == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *pointer = nullptr;
    return bytes == 0 ? CUDA_SUCCESS : driver.cuMemAlloc(address_of(pointer), bytes);
  });
}

cudaError_t cudaMallocPitch(void** pointer, size_t* pitch, size_t width, size_t height) {
  return with_device(
      [&](const DriverCalls& driver) { return driver.cuMemAllocPitch(address_of(pointer), pitch, width, height, 4); });
}

cudaError_t cudaFree(void* pointer) {
  return with_device([&](const DriverCalls& driver) { return driver.cuMemFree(address(pointer)); });
}

cudaError_t cudaHostAlloc(void** pointer, size_t bytes, unsigned flags) {
  return with_device([&](const DriverCalls& driver) { return driver.cuMemHostAlloc(pointer, bytes, flags); });
}

cudaError_t cudaMallocHost(void** pointer, size_t bytes) { return cudaHostAlloc(pointer, bytes, 0); }

cudaError_t cudaFreeHost(void* pointer) {
  return with_device([&](const DriverCalls& driver) { return driver.cuMemFreeHost(pointer); });
}

cudaError_t cudaHostRegister(void* pointer, size_t bytes, unsigned flags) {
  return with_device([&](const DriverCalls& driver) { return driver.cuMemHostRegister(pointer, bytes, flags); });
}

cudaError_t cudaHostUnregister(void* pointer) {
  return with_device([&](const DriverCalls& driver) { return driver.cuMemHostUnregister(pointer); });
}

cudaError_t cudaHostGetDevicePointer(void** device_pointer, void* pointer, unsigned flags) {
  return with_device([&](const DriverCalls& driver) {
    return driver.cuMemHostGetDevicePointer(address_of(device_pointer), pointer, flags);
  });
}

cudaError_t cudaHostGetFlags(unsigned* flags, void* pointer) {
  return with_device([&](const DriverCalls& driver) { return driver.cuMemHostGetFlags(flags, pointer); });
}

cudaError_t cudaMallocManaged(void** pointer, size_t bytes, unsigned flags) {
  return with_device([&](const DriverCalls& driver) { return driver.cuMemAllocManaged(address_of(pointer), bytes, flags); });
}

cudaError_t cudaMemGetInfo(size_t* free_bytes, size_t* total_bytes) {
  return with_device([&](const DriverCalls& driver) { return driver.cuMemGetInfo(free_bytes, total_bytes); });
}

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  if (!known(kind)) return remember(cudaErrorInvalidMemcpyDirection);
  return with_device([&](const DriverCalls& driver) { return driver.cuMemcpy(address(to), address(from), bytes); });
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  if (!known(kind)) return remember(cudaErrorInvalidMemcpyDirection);
  return with_device(
      [&](const DriverCalls& driver) { return driver.cuMemcpyAsync(address(to), address(from), bytes, stream); });
}

cudaError_t cudaMemcpyPeer(void* to, int /*to_device*/, const void* from, int /*from_device*/, size_t bytes) {
  return cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToDevice);
}

cudaError_t cudaMemcpyPeerAsync(void* to, int /*to_device*/, const void* from, int /*from_device*/, size_t bytes,
                                cudaStream_t stream) {
  return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream);
}

cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height,
                         cudaMemcpyKind kind) {
  if (!known(kind)) return remember(cudaErrorInvalidMemcpyDirection);
  const CUDA_MEMCPY2D copy = two_dimensional(to, to_pitch, from, from_pitch, width, height);
  return with_device([&](const DriverCalls& driver) { return driver.cuMemcpy2D(&copy); });
}

cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height,
                              cudaMemcpyKind kind, cudaStream_t stream) {
  if (!known(kind)) return remember(cudaErrorInvalidMemcpyDirection);
  const CUDA_MEMCPY2D copy = two_dimensional(to, to_pitch, from, from_pitch, width, height);
  return with_device([&](const DriverCalls& driver) { return driver.cuMemcpy2DAsync(&copy, stream); });
}

cudaError_t cudaMemset(void* to, int value, size_t count) {
  return with_device(
      [&](const DriverCalls& driver) { return driver.cuMemsetD8(address(to), static_cast<unsigned char>(value), count); });
}

cudaError_t cudaMemsetAsync(void* to, int value, size_t count, cudaStream_t stream) {
  return with_device([&](const DriverCalls& driver) {
    return driver.cuMemsetD8Async(address(to), static_cast<unsigned char>(value), count, stream);
  });
}

cudaError_t cudaMemset2D(void* to, size_t pitch, int value, size_t width, size_t height) {
  return with_device([&](const DriverCalls& driver) {
    return driver.cuMemsetD2D8(address(to), pitch, static_cast<unsigned char>(value), width, height);
  });
}

cudaError_t cudaMemset2DAsync(void* to, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream) {
  return with_device([&](const DriverCalls& driver) {
    return driver.cuMemsetD2D8Async(address(to), pitch, static_cast<unsigned char>(value), width, height, stream);
  });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  return with_device([&](const DriverCalls& driver) {
    if (attributes == nullptr) return CUDA_ERROR_INVALID_VALUE;
    unsigned type = 0, managed = 0;
    int device = 0;
    CUdeviceptr device_pointer = 0;
    void* host_pointer = nullptr;
    std::array which{CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_IS_MANAGED, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
                     CU_POINTER_ATTRIBUTE_DEVICE_POINTER, CU_POINTER_ATTRIBUTE_HOST_POINTER};
    std::array<void*, which.size()> data{&type, &managed, &device, &device_pointer, &host_pointer};
    const CUresult result = driver.cuPointerGetAttributes(which.size(), which.data(), data.data(), address(pointer));
    attributes->type = managed != 0                   ? cudaMemoryTypeManaged
                       : type == CU_MEMORYTYPE_DEVICE ? cudaMemoryTypeDevice
                       : type == CU_MEMORYTYPE_HOST   ? cudaMemoryTypeHost
                                                      : cudaMemoryTypeUnregistered;
    attributes->device = device;
    attributes->devicePointer = reinterpret_cast<void*>(device_pointer);
    attributes->hostPointer = type == 0 ? const_cast<void*>(pointer) : host_pointer;
    return result;
  });
}

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t* handle, void* pointer) {
  return with_device([&](const DriverCalls& driver) {
    return driver.cuIpcGetMemHandle(reinterpret_cast<CUipcMemHandle*>(handle), address(pointer));
  });
}

cudaError_t cudaIpcOpenMemHandle(void** pointer, cudaIpcMemHandle_t handle, unsigned flags) {
  return with_device([&](const DriverCalls& driver) {
    return driver.cuIpcOpenMemHandle(address_of(pointer), reinterpret_cast<const CUipcMemHandle&>(handle), flags);
  });
}

cudaError_t cudaIpcCloseMemHandle(void* pointer) {
  return with_device([&](const DriverCalls& driver) { return driver.cuIpcCloseMemHandle(address(pointer)); });
}

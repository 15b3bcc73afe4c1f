#include "runtime/call.hpp"

#include <array>
#include <mutex>

namespace cuda_emu_runtime {
namespace {

constexpr int kMaxDevices = 64;

thread_local cudaError_t last = cudaSuccess;
thread_local int thread_device = 0;

std::mutex primary_mutex;
std::array<CUcontext, kMaxDevices> primary_contexts{};  // retained once each

}  // namespace

cudaError_t remember(cudaError_t error) {
  if (error != cudaSuccess) last = error;
  return error;
}

cudaError_t last_error() { return last; }

cudaError_t take_last_error() {
  const cudaError_t error = last;
  last = cudaSuccess;
  return error;
}

cudaError_t initialise(const DriverCalls*& driver) {
  driver = driver_calls();
  if (driver == nullptr) return cudaErrorInsufficientDriver;
  int version = 0;
  if (driver->cuDriverGetVersion(&version) != CUDA_SUCCESS || version / 1000 < CUDART_VERSION / 1000)
    return cudaErrorInsufficientDriver;
  return to_runtime(driver->cuInit(0));
}

cudaError_t set_device(const DriverCalls& driver, int device) {
  int count = 0;
  CUresult result = driver.cuDeviceGetCount(&count);
  if (result != CUDA_SUCCESS) return to_runtime(result);
  if (device < 0 || device >= count || device >= kMaxDevices) return cudaErrorInvalidDevice;
  const std::scoped_lock lock(primary_mutex);
  CUcontext& context = primary_contexts[static_cast<std::size_t>(device)];
  if (context == nullptr) result = driver.cuDevicePrimaryCtxRetain(&context, device);
  if (result == CUDA_SUCCESS) result = driver.cuCtxSetCurrent(context);
  if (result == CUDA_SUCCESS) thread_device = device;
  return to_runtime(result);
}

cudaError_t enter_device(const DriverCalls& driver) {
  CUcontext current = nullptr;
  const CUresult result = driver.cuCtxGetCurrent(&current);
  if (result != CUDA_SUCCESS) return to_runtime(result);
  return current != nullptr ? cudaSuccess : set_device(driver, thread_device);
}

cudaError_t get_device(const DriverCalls& driver, int& device) {
  CUcontext current = nullptr;
  device = thread_device;
  CUresult result = driver.cuCtxGetCurrent(&current);
  if (result == CUDA_SUCCESS && current != nullptr) result = driver.cuCtxGetDevice(&device);
  return to_runtime(result);
}

void forget_devices() {
  const std::scoped_lock lock(primary_mutex);
  primary_contexts[static_cast<std::size_t>(thread_device)] = nullptr;
}

}  // namespace cuda_emu_runtime

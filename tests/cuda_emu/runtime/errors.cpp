// Errors and versions.
#include "runtime/call.hpp"

using namespace cuda_emu_runtime;

namespace {

struct RuntimeError {
  cudaError_t code;
  const char* name;
  const char* text;
};

// Errors that the driver has another name for, or none.
constexpr RuntimeError kErrors[] = {
    {cudaSuccess, "cudaSuccess", "no error"},
    {cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
    {cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
    {cudaErrorInitializationError, "cudaErrorInitializationError", "initialization error"},
    {cudaErrorCudartUnloading, "cudaErrorCudartUnloading", "driver shutting down"},
    {cudaErrorInvalidMemcpyDirection, "cudaErrorInvalidMemcpyDirection", "invalid copy direction for memcpy"},
    {cudaErrorInsufficientDriver, "cudaErrorInsufficientDriver",
     "CUDA driver version is insufficient for CUDA runtime version"},
    {cudaErrorNoDevice, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
    {cudaErrorInvalidDevice, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {cudaErrorDeviceUninitialized, "cudaErrorDeviceUninitialized", "invalid device context"},
    {cudaErrorInvalidResourceHandle, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {cudaErrorNotReady, "cudaErrorNotReady", "device not ready"},
    {cudaErrorIllegalAddress, "cudaErrorIllegalAddress", "an illegal memory access was encountered"},
    {cudaErrorHostMemoryAlreadyRegistered, "cudaErrorHostMemoryAlreadyRegistered",
     "part or all of the requested memory range is already mapped"},
    {cudaErrorHostMemoryNotRegistered, "cudaErrorHostMemoryNotRegistered",
     "pointer does not correspond to a registered memory region"},
    {cudaErrorLaunchFailure, "cudaErrorLaunchFailure", "unspecified launch failure"},
    {cudaErrorNotSupported, "cudaErrorNotSupported", "operation not supported"},
    {cudaErrorUnknown, "cudaErrorUnknown", "unknown error"},
};

const char* text_of(cudaError_t error, const char* RuntimeError::*member,
                    decltype(DriverCalls::cuGetErrorName) DriverCalls::*call) {
  for (const RuntimeError& known : kErrors) {
    if (known.code == error) return known.*member;
  }
  const char* text = nullptr;
  const DriverCalls* const driver = driver_calls();
  if (driver != nullptr && (driver->*call)(static_cast<CUresult>(error), &text) == CUDA_SUCCESS) return text;
  return "unrecognized error code";
}

}  // namespace

cudaError_t cudaGetLastError() { return take_last_error(); }

cudaError_t cudaPeekAtLastError() { return last_error(); }

const char* cudaGetErrorName(cudaError_t error) { return text_of(error, &RuntimeError::name, &DriverCalls::cuGetErrorName); }

const char* cudaGetErrorString(cudaError_t error) {
  return text_of(error, &RuntimeError::text, &DriverCalls::cuGetErrorString);
}

// Without a driver its version is 0.
cudaError_t cudaDriverGetVersion(int* version) {
  if (version == nullptr) return remember(cudaErrorInvalidValue);
  *version = 0;
  const DriverCalls* const driver = driver_calls();
  return driver == nullptr ? cudaSuccess : remember(to_runtime(driver->cuDriverGetVersion(version)));
}

cudaError_t cudaRuntimeGetVersion(int* version) {
  if (version == nullptr) return remember(cudaErrorInvalidValue);
  *version = CUDART_VERSION;
  return cudaSuccess;
}

// How every call of the runtime enters the driver, and what becomes of errors.
#pragma once

#include <cuda_runtime_api.h>

#include "runtime/driver_calls.hpp"

namespace cuda_emu_runtime {

// Kept for cudaGetLastError, of this thread.
cudaError_t remember(cudaError_t error);
cudaError_t last_error();
cudaError_t take_last_error();

// The driver, initialised; what is wrong otherwise.
cudaError_t initialise(const DriverCalls*& driver);

// The thread's context: its current one, or else the primary one of its device, which is then made current.
cudaError_t enter_device(const DriverCalls& driver);
cudaError_t set_device(const DriverCalls& driver, int device);
cudaError_t get_device(const DriverCalls& driver, int& device);
void forget_devices();  // cudaDeviceReset

// Most numbers of the runtime's errors are the driver's.
inline cudaError_t to_runtime(CUresult result) { return static_cast<cudaError_t>(result); }

// body(driver), for what needs no context.
template <class Body>
cudaError_t with_driver(Body body) {
  const DriverCalls* driver = nullptr;
  const cudaError_t error = initialise(driver);
  return remember(error != cudaSuccess ? error : to_runtime(body(*driver)));
}

template <class Body>
cudaError_t with_device(Body body) {
  const DriverCalls* driver = nullptr;
  cudaError_t error = initialise(driver);
  if (error == cudaSuccess) error = enter_device(*driver);
  return remember(error != cudaSuccess ? error : to_runtime(body(*driver)));
}

inline CUdeviceptr address(const void* pointer) { return reinterpret_cast<CUdeviceptr>(pointer); }
inline CUdeviceptr* address_of(void** pointer) { return reinterpret_cast<CUdeviceptr*>(pointer); }

}  // namespace cuda_emu_runtime

// The driver, opened when the first call of the runtime needs it, as the real runtime does.
#pragma once

#include <cuda.h>

// The one list of what is called; the names are looked up as written here.
// clang-format off
#define CUDART_DRIVER_CALLS(USE) \
  USE(cuCtxEnablePeerAccess) \
  USE(cuCtxDisablePeerAccess) \
  USE(cuCtxGetCurrent) \
  USE(cuCtxGetDevice) \
  USE(cuCtxGetFlags) \
  USE(cuCtxGetLimit) \
  USE(cuCtxGetStreamPriorityRange) \
  USE(cuCtxSetCurrent) \
  USE(cuCtxSetLimit) \
  USE(cuCtxSynchronize) \
  USE(cuDeviceCanAccessPeer) \
  USE(cuDeviceGetAttribute) \
  USE(cuDeviceGetByPCIBusId) \
  USE(cuDeviceGetCount) \
  USE(cuDeviceGetDefaultMemPool) \
  USE(cuDeviceGetMemPool) \
  USE(cuDeviceGetName) \
  USE(cuDeviceGetP2PAttribute) \
  USE(cuDeviceGetPCIBusId) \
  USE(cuDeviceGetUuid) \
  USE(cuDevicePrimaryCtxReset) \
  USE(cuDevicePrimaryCtxRetain) \
  USE(cuDevicePrimaryCtxSetFlags) \
  USE(cuDeviceSetMemPool) \
  USE(cuDeviceTotalMem) \
  USE(cuDriverGetVersion) \
  USE(cuEventCreate) \
  USE(cuEventDestroy) \
  USE(cuEventElapsedTime) \
  USE(cuEventQuery) \
  USE(cuEventRecord) \
  USE(cuEventRecordWithFlags) \
  USE(cuEventSynchronize) \
  USE(cuGetErrorName) \
  USE(cuGetErrorString) \
  USE(cuGraphCreate) \
  USE(cuGraphDestroy) \
  USE(cuGraphExecDestroy) \
  USE(cuGraphGetNodes) \
  USE(cuGraphInstantiate) \
  USE(cuGraphLaunch) \
  USE(cuGraphUpload) \
  USE(cuInit) \
  USE(cuIpcCloseMemHandle) \
  USE(cuIpcGetEventHandle) \
  USE(cuIpcGetMemHandle) \
  USE(cuIpcOpenEventHandle) \
  USE(cuIpcOpenMemHandle) \
  USE(cuLaunchHostFunc) \
  USE(cuMemAlloc) \
  USE(cuMemAllocAsync) \
  USE(cuMemAllocFromPoolAsync) \
  USE(cuMemAllocManaged) \
  USE(cuMemAllocPitch) \
  USE(cuMemFree) \
  USE(cuMemFreeAsync) \
  USE(cuMemFreeHost) \
  USE(cuMemGetInfo) \
  USE(cuMemHostAlloc) \
  USE(cuMemHostGetDevicePointer) \
  USE(cuMemHostGetFlags) \
  USE(cuMemHostRegister) \
  USE(cuMemHostUnregister) \
  USE(cuMemPoolCreate) \
  USE(cuMemPoolDestroy) \
  USE(cuMemPoolExportPointer) \
  USE(cuMemPoolExportToShareableHandle) \
  USE(cuMemPoolGetAttribute) \
  USE(cuMemPoolImportFromShareableHandle) \
  USE(cuMemPoolImportPointer) \
  USE(cuMemPoolSetAccess) \
  USE(cuMemPoolSetAttribute) \
  USE(cuMemPoolTrimTo) \
  USE(cuMemcpy) \
  USE(cuMemcpy2D) \
  USE(cuMemcpy2DAsync) \
  USE(cuMemcpyAsync) \
  USE(cuMemsetD2D8) \
  USE(cuMemsetD2D8Async) \
  USE(cuMemsetD8) \
  USE(cuMemsetD8Async) \
  USE(cuPointerGetAttributes) \
  USE(cuStreamAddCallback) \
  USE(cuStreamAttachMemAsync) \
  USE(cuStreamBeginCapture) \
  USE(cuStreamCreateWithPriority) \
  USE(cuStreamDestroy) \
  USE(cuStreamEndCapture) \
  USE(cuStreamGetCaptureInfo) \
  USE(cuStreamGetFlags) \
  USE(cuStreamGetId) \
  USE(cuStreamGetPriority) \
  USE(cuStreamIsCapturing) \
  USE(cuStreamQuery) \
  USE(cuStreamSynchronize) \
  USE(cuStreamWaitEvent) \
  USE(cuThreadExchangeStreamCaptureMode)
// clang-format on

namespace cuda_emu_runtime {

struct DriverCalls {
#define CUDART_DECLARE(name) decltype(&::name) name = nullptr;
  CUDART_DRIVER_CALLS(CUDART_DECLARE)
#undef CUDART_DECLARE
};

// Null: there is no driver.
const DriverCalls* driver_calls();

}  // namespace cuda_emu_runtime

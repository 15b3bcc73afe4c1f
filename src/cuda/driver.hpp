// The entry points of the CUDA driver. Nothing is linked: the table is filled from the libcuda that is in the process, so
// that one build serves machines with and without a GPU. The names of the newest ABI of each function that all drivers since
// CUDA 11 have.
#pragma once

#include <cuda.h>

#include <string>

namespace xylem::cuda {

struct Driver {
  int version = 0;  // 12040 is CUDA 12.4

  decltype(&cuInit) init = nullptr;
  decltype(&cuGetErrorName) get_error_name = nullptr;
  decltype(&cuGetErrorString) get_error_string = nullptr;
  decltype(&cuDriverGetVersion) driver_get_version = nullptr;

  decltype(&cuDeviceGet) device_get = nullptr;
  decltype(&cuDeviceGetCount) device_get_count = nullptr;
  decltype(&cuDeviceGetName) device_get_name = nullptr;
  decltype(&cuDeviceGetUuid) device_get_uuid = nullptr;
  decltype(&cuDeviceGetAttribute) device_get_attribute = nullptr;
  decltype(&cuDeviceTotalMem) device_total_mem = nullptr;
  decltype(&cuDeviceCanAccessPeer) device_can_access_peer = nullptr;
  decltype(&cuDevicePrimaryCtxGetState) device_primary_ctx_get_state = nullptr;
  decltype(&cuDevicePrimaryCtxRetain) device_primary_ctx_retain = nullptr;
  decltype(&cuDevicePrimaryCtxRelease) device_primary_ctx_release = nullptr;

  decltype(&cuCtxPushCurrent) ctx_push_current = nullptr;
  decltype(&cuCtxPopCurrent) ctx_pop_current = nullptr;
  decltype(&cuCtxGetCurrent) ctx_get_current = nullptr;
  decltype(&cuCtxGetDevice) ctx_get_device = nullptr;
  decltype(&cuCtxGetId) ctx_get_id = nullptr;  // null before CUDA 12.0
  decltype(&cuCtxEnablePeerAccess) ctx_enable_peer_access = nullptr;

  decltype(&cuPointerGetAttributes) pointer_get_attributes = nullptr;
  decltype(&cuMemAlloc) mem_alloc = nullptr;
  decltype(&cuMemFree) mem_free = nullptr;
  decltype(&cuMemGetAddressRange) mem_get_address_range = nullptr;
  decltype(&cuMemHostRegister) mem_host_register = nullptr;
  decltype(&cuMemHostUnregister) mem_host_unregister = nullptr;
  decltype(&cuMemHostGetDevicePointer) mem_host_get_device_pointer = nullptr;
  decltype(&cuMemcpyAsync) memcpy_async = nullptr;
  decltype(&cuMemsetD8Async) memset_d8_async = nullptr;
  decltype(&cuMemRetainAllocationHandle) mem_retain_allocation_handle = nullptr;
  decltype(&cuMemRelease) mem_release = nullptr;
  decltype(&cuMemExportToShareableHandle) mem_export_to_shareable_handle = nullptr;
  decltype(&cuMemImportFromShareableHandle) mem_import_from_shareable_handle = nullptr;
  decltype(&cuMemAddressReserve) mem_address_reserve = nullptr;
  decltype(&cuMemAddressFree) mem_address_free = nullptr;
  decltype(&cuMemMap) mem_map = nullptr;
  decltype(&cuMemUnmap) mem_unmap = nullptr;
  decltype(&cuMemSetAccess) mem_set_access = nullptr;
  decltype(&cuIpcGetMemHandle) ipc_get_mem_handle = nullptr;
  decltype(&cuIpcOpenMemHandle) ipc_open_mem_handle = nullptr;
  decltype(&cuIpcCloseMemHandle) ipc_close_mem_handle = nullptr;
  decltype(&cuIpcGetEventHandle) ipc_get_event_handle = nullptr;
  decltype(&cuIpcOpenEventHandle) ipc_open_event_handle = nullptr;

  decltype(&cuStreamCreate) stream_create = nullptr;
  decltype(&cuStreamDestroy) stream_destroy = nullptr;
  decltype(&cuStreamSynchronize) stream_synchronize = nullptr;
  decltype(&cuStreamQuery) stream_query = nullptr;
  decltype(&cuStreamWaitEvent) stream_wait_event = nullptr;
  decltype(&cuStreamGetCtx) stream_get_ctx = nullptr;
  decltype(&cuStreamIsCapturing) stream_is_capturing = nullptr;
  decltype(&cuThreadExchangeStreamCaptureMode) thread_exchange_stream_capture_mode = nullptr;
  decltype(&cuEventCreate) event_create = nullptr;
  decltype(&cuEventDestroy) event_destroy = nullptr;
  decltype(&cuEventRecord) event_record = nullptr;
  decltype(&cuEventQuery) event_query = nullptr;

  decltype(&cuModuleLoadData) module_load_data = nullptr;
  decltype(&cuModuleUnload) module_unload = nullptr;
  decltype(&cuModuleGetFunction) module_get_function = nullptr;
  decltype(&cuLaunchCooperativeKernel) launch_cooperative_kernel = nullptr;
  decltype(&cuOccupancyMaxActiveBlocksPerMultiprocessor) occupancy_max_active_blocks = nullptr;
};

// The driver, if this process has loaded it, else null. Loads nothing and initialises nothing. XYLEM_CUDA=off: always null;
// auto, on a host without an NVIDIA device: null for good if it is not loaded when first asked for, so that nobody looks
// again in vain. Thread-safe.
const Driver* driver_in_process();

// The same, for those who cannot do without. Throws Error.
const Driver& the_driver();

// This host has an NVIDIA device: cheap, starts nothing.
bool host_has_device();

// The driver, loaded if need be: for tools that ask for devices. Null and `why` where there is none.
const Driver* open_driver(std::string& why);

// "CUDA_ERROR_INVALID_VALUE: invalid argument"
std::string error_text(const Driver& driver, CUresult result);

// Throws Error with `what` and the driver's own words unless `result` is CUDA_SUCCESS.
void check(const Driver& driver, CUresult result, const char* what);

namespace detail {
// For tests: what driver_in_process() gives from now on; null: what there is.
void set_driver(const Driver* driver);
}  // namespace detail

}  // namespace xylem::cuda

#include "cuda/driver.hpp"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <atomic>
#include <mutex>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/settings.hpp"

namespace xylem::cuda {
namespace {

constexpr const char* kName = "libcuda.so.1";

class Symbols {
 public:
  explicit Symbols(void* library) : library_(library) {}

  template <class Function>
  void find_newer(const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library_, name));
  }
  template <class Function>
  void find(const char* name, Function& function) {
    find_newer(name, function);
    if (function == nullptr && missing_.empty()) missing_ = name;
  }
  // The first that was not there.
  const std::string& missing() const { return missing_; }

 private:
  void* library_;
  std::string missing_;
};

void fill_device_and_context(Symbols& symbols, Driver& d) {
  symbols.find("cuInit", d.init);
  symbols.find("cuGetErrorName", d.get_error_name);
  symbols.find("cuGetErrorString", d.get_error_string);
  symbols.find("cuDriverGetVersion", d.driver_get_version);
  symbols.find("cuDeviceGet", d.device_get);
  symbols.find("cuDeviceGetCount", d.device_get_count);
  symbols.find("cuDeviceGetName", d.device_get_name);
  symbols.find("cuDeviceGetUuid_v2", d.device_get_uuid);
  symbols.find("cuDeviceGetAttribute", d.device_get_attribute);
  symbols.find("cuDeviceTotalMem_v2", d.device_total_mem);
  symbols.find("cuDeviceCanAccessPeer", d.device_can_access_peer);
  symbols.find("cuDevicePrimaryCtxGetState", d.device_primary_ctx_get_state);
  symbols.find("cuDevicePrimaryCtxRetain", d.device_primary_ctx_retain);
  symbols.find("cuDevicePrimaryCtxRelease_v2", d.device_primary_ctx_release);
  symbols.find("cuCtxPushCurrent_v2", d.ctx_push_current);
  symbols.find("cuCtxPopCurrent_v2", d.ctx_pop_current);
  symbols.find("cuCtxGetCurrent", d.ctx_get_current);
  symbols.find("cuCtxGetDevice", d.ctx_get_device);
  symbols.find_newer("cuCtxGetId", d.ctx_get_id);
  symbols.find("cuCtxEnablePeerAccess", d.ctx_enable_peer_access);
}

void fill_memory(Symbols& symbols, Driver& d) {
  symbols.find("cuPointerGetAttributes", d.pointer_get_attributes);
  symbols.find("cuMemAlloc_v2", d.mem_alloc);
  symbols.find("cuMemFree_v2", d.mem_free);
  symbols.find("cuMemGetAddressRange_v2", d.mem_get_address_range);
  symbols.find("cuMemHostRegister_v2", d.mem_host_register);
  symbols.find("cuMemHostUnregister", d.mem_host_unregister);
  symbols.find("cuMemHostGetDevicePointer_v2", d.mem_host_get_device_pointer);
  symbols.find("cuMemcpyAsync", d.memcpy_async);
  symbols.find("cuMemsetD8Async", d.memset_d8_async);
  symbols.find("cuMemRetainAllocationHandle", d.mem_retain_allocation_handle);
  symbols.find("cuMemRelease", d.mem_release);
  symbols.find("cuMemExportToShareableHandle", d.mem_export_to_shareable_handle);
  symbols.find("cuMemImportFromShareableHandle", d.mem_import_from_shareable_handle);
  symbols.find("cuMemAddressReserve", d.mem_address_reserve);
  symbols.find("cuMemAddressFree", d.mem_address_free);
  symbols.find("cuMemMap", d.mem_map);
  symbols.find("cuMemUnmap", d.mem_unmap);
  symbols.find("cuMemSetAccess", d.mem_set_access);
  symbols.find("cuIpcGetMemHandle", d.ipc_get_mem_handle);
  symbols.find("cuIpcOpenMemHandle_v2", d.ipc_open_mem_handle);
  symbols.find("cuIpcCloseMemHandle", d.ipc_close_mem_handle);
  symbols.find("cuIpcGetEventHandle", d.ipc_get_event_handle);
  symbols.find("cuIpcOpenEventHandle", d.ipc_open_event_handle);
}

void fill_work(Symbols& symbols, Driver& d) {
  symbols.find("cuStreamCreate", d.stream_create);
  symbols.find("cuStreamDestroy_v2", d.stream_destroy);
  symbols.find("cuStreamSynchronize", d.stream_synchronize);
  symbols.find("cuStreamQuery", d.stream_query);
  symbols.find("cuStreamWaitEvent", d.stream_wait_event);
  symbols.find("cuStreamGetCtx", d.stream_get_ctx);
  symbols.find("cuStreamIsCapturing", d.stream_is_capturing);
  symbols.find("cuThreadExchangeStreamCaptureMode", d.thread_exchange_stream_capture_mode);
  symbols.find("cuEventCreate", d.event_create);
  symbols.find("cuEventDestroy_v2", d.event_destroy);
  symbols.find("cuEventRecord", d.event_record);
  symbols.find("cuEventQuery", d.event_query);
  symbols.find("cuModuleLoadData", d.module_load_data);
  symbols.find("cuModuleUnload", d.module_unload);
  symbols.find("cuModuleGetFunction", d.module_get_function);
  symbols.find("cuLaunchCooperativeKernel", d.launch_cooperative_kernel);
  symbols.find("cuOccupancyMaxActiveBlocksPerMultiprocessor", d.occupancy_max_active_blocks);
}

std::atomic<const Driver*> ready{nullptr};

// Fills the one table of the process. Null and `why`: this library cannot serve.
const Driver* make_table(void* library, std::string& why) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  if (const Driver* made = ready.load(std::memory_order_acquire)) return made;
  Driver filled;
  Symbols symbols(library);
  fill_device_and_context(symbols, filled);
  fill_memory(symbols, filled);
  fill_work(symbols, filled);
  if (!symbols.missing().empty() || filled.driver_get_version(&filled.version) != CUDA_SUCCESS) {
    why = std::string(kName) + (symbols.missing().empty() ? " does not tell its version" : " has no " + symbols.missing()) +
          ": the NVIDIA driver is too old, one of CUDA 11.4 or newer is needed";
    return nullptr;
  }
  // Never destroyed: the program may end communicators from its own destructors.
  ready.store(new Driver(filled), std::memory_order_release);
  return ready.load(std::memory_order_acquire);
}

// How many libraries have been loaded so far: the driver can have come only if this has changed.
unsigned long long libraries_loaded() {
  unsigned long long loaded = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* result) {
        *static_cast<unsigned long long*>(result) = info->dlpi_adds;
        return 1;
      },
      &loaded);
  return loaded;
}

const Driver* look_again() {
  static std::atomic<unsigned long long> looked_at{0};
  const unsigned long long loaded = libraries_loaded();
  if (looked_at.load(std::memory_order_relaxed) == loaded) return ready.load(std::memory_order_acquire);
  const Driver* found = nullptr;
  // Kept open: from the first device buffer on the driver is needed.
  if (void* const library = dlopen(kName, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD); library != nullptr) {
    std::string why;
    found = make_table(library, why);
    if (found == nullptr) log::warn(why + "; device buffers cannot be recognised");
  }
  looked_at.store(loaded, std::memory_order_relaxed);
  return found;
}

}  // namespace

bool host_has_device() {
  // Linux, and Linux inside Windows.
  static const bool device_files = access("/dev/nvidiactl", F_OK) == 0 || access("/dev/dxg", F_OK) == 0;
  return device_files;
}

const Driver* driver_in_process() {
  if (const Driver* driver = ready.load(std::memory_order_acquire)) return driver;
  static const bool looks = settings().cuda == CudaUse::on ||
                            (settings().cuda == CudaUse::automatic && (host_has_device() || look_again() != nullptr));
  return looks ? look_again() : nullptr;
}

const Driver& the_driver() {
  const Driver* const driver = driver_in_process();
  if (driver == nullptr) throw Error(XYLEM_ERROR_UNSUPPORTED, "this process has loaded no NVIDIA driver");
  return *driver;
}

const Driver* open_driver(std::string& why) {
  if (settings().cuda == CudaUse::off) {
    why = "XYLEM_CUDA is off";
    return nullptr;
  }
  void* const library = dlopen(kName, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* const reason = dlerror();
    why = std::string("no NVIDIA driver: ") + (reason != nullptr ? reason : kName);
    return nullptr;
  }
  return make_table(library, why);
}

std::string error_text(const Driver& driver, CUresult result) {
  const char* name = nullptr;
  const char* text = nullptr;
  if (driver.get_error_name(result, &name) != CUDA_SUCCESS || name == nullptr) {
    return "error " + std::to_string(static_cast<int>(result));
  }
  driver.get_error_string(result, &text);
  return text == nullptr ? std::string(name) : std::string(name) + ": " + text;
}

void check(const Driver& driver, CUresult result, const char* what) {
  if (result == CUDA_SUCCESS) return;
  throw Error(result == CUDA_ERROR_OUT_OF_MEMORY ? XYLEM_ERROR_OUT_OF_MEMORY : XYLEM_ERROR_SYSTEM,
              std::string(what) + " failed with " + error_text(driver, result));
}

void detail::set_driver(const Driver* driver) { ready.store(driver, std::memory_order_release); }

}  // namespace xylem::cuda

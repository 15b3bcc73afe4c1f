// cuGetProcAddress: entries by their plain names. There is one form of each here, that of this toolkit's cuda.h, under the
// suffix it has there; where an older form had other parameters, callers that want it are told that there is none.
#include <dlfcn.h>

#include <array>
#include <string>
#include <string_view>

#include "driver/error.hpp"

namespace {

struct Newer {
  std::string_view name;
  int since;
};

constexpr std::array kOtherParametersBefore{Newer{"cuCtxCreate", 13000},        Newer{"cuMemAdvise", 13000},
                                            Newer{"cuMemPrefetchAsync", 13000}, Newer{"cuStreamGetCaptureInfo", 12030},
                                            Newer{"cuGraphInstantiate", 12000}, Newer{"cuGetProcAddress", 12000}};

// A handle of this library, which may have been loaded RTLD_LOCAL.
void* this_library() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<void*>(&this_library), &info) == 0) return nullptr;
  return dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
}

void* look_up(const std::string& name) {
  static void* const library = this_library();
  if (library == nullptr) return nullptr;
  if (name == "cuGraphInstantiate") return dlsym(library, "cuGraphInstantiateWithFlags");
  for (const char* suffix : {"_v4", "_v3", "_v2", ""}) {
    if (void* const entry = dlsym(library, (name + suffix).c_str())) return entry;
  }
  return nullptr;
}

}  // namespace

CUresult cuGetProcAddress(const char* symbol, void** entry, int version, cuuint64_t /*flags*/,
                          CUdriverProcAddressQueryResult* status) {
  if (symbol == nullptr || entry == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *entry = nullptr;
  CUdriverProcAddressQueryResult found = CU_GET_PROC_ADDRESS_SUCCESS;
  for (const Newer& newer : kOtherParametersBefore) {
    if (newer.name == symbol && version < newer.since) found = CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT;
  }
  if (found == CU_GET_PROC_ADDRESS_SUCCESS) {
    *entry = look_up(symbol);
    if (*entry == nullptr) found = CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  }
  if (status != nullptr) *status = found;
  return *entry != nullptr || status != nullptr ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

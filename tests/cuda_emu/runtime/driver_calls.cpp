#include "runtime/driver_calls.hpp"

#include <dlfcn.h>

namespace cuda_emu_runtime {
namespace {

template <class Call>
void look_up(decltype(&cuGetProcAddress) get, const char* name, Call& call) {
  void* entry = nullptr;
  CUdriverProcAddressQueryResult status{};
  if (get(name, &entry, CUDA_VERSION, 0, &status) == CUDA_SUCCESS) call = reinterpret_cast<Call>(entry);
}

DriverCalls* open_driver() {
  void* const library = dlopen("libcuda.so.1", RTLD_NOW);
  if (library == nullptr) return nullptr;
  const auto get = reinterpret_cast<decltype(&cuGetProcAddress)>(dlsym(library, "cuGetProcAddress_v2"));
  if (get == nullptr) return nullptr;
  static DriverCalls calls;
#define CUDART_LOOK_UP(name) look_up(get, #name, calls.name);
  CUDART_DRIVER_CALLS(CUDART_LOOK_UP)
#undef CUDART_LOOK_UP
  return &calls;
}

}  // namespace

const DriverCalls* driver_calls() {
  static const DriverCalls* const calls = open_driver();
  return calls;
}

}  // namespace cuda_emu_runtime

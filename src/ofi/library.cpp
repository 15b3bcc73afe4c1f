#include "ofi/library.hpp"

#include <dlfcn.h>

#include <string>

#include "base/error.hpp"
#include "ofi/signal_guard.hpp"

namespace xylem::ofi {
namespace {

constexpr const char* kName = "libfabric.so.1";

template <class Function>
void find(void* handle, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(handle, name));
  if (function == nullptr)
    throw Error(XYLEM_ERROR_UNSUPPORTED, std::string(kName) + " has no " + name + ": it is too old, 1.14 or newer is needed");
}

Library open() {
  // Libraries of InfiniPath hardware, which libfabric may drag in, set handlers for SIGSEGV, SIGINT and others when loaded.
  const SignalGuard guard;
  void* const handle = dlopen(kName, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* const reason = dlerror();
    throw Error(XYLEM_ERROR_UNSUPPORTED, std::string("ranks on several hosts need libfabric, which cannot be loaded: ") +
                                             (reason != nullptr ? reason : kName));
  }
  Library library{};
  find(handle, "fi_version", library.version);
  find(handle, "fi_getinfo", library.getinfo);
  find(handle, "fi_freeinfo", library.freeinfo);
  find(handle, "fi_dupinfo", library.dupinfo);
  find(handle, "fi_fabric", library.fabric);
  find(handle, "fi_strerror", library.strerror);
  return library;
}

}  // namespace

const Library& library() {
  static const Library opened = open();
  return opened;
}

}  // namespace xylem::ofi

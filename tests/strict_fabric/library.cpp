// The entry points, and how a provider is made to look strict.
#include <dlfcn.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <string>

#include "objects.hpp"

namespace strict_fabric {
namespace {

constexpr int kModes = FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY;

struct Own {
  int modes;
  std::size_t inject, transmit, receive, max;
};

std::mutex mutex;
std::map<std::string, Own> own_of;  // by provider

template <class Function>
void find(void* handle, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(handle, name));
  if (function == nullptr) broken((std::string("the real libfabric has no ") + name).c_str());
}

RealLibrary open() {
  void* const handle = dlopen(STRICT_FABRIC_REAL, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) broken(dlerror());
  RealLibrary library{};
  find(handle, "fi_version", library.version);
  find(handle, "fi_getinfo", library.getinfo);
  find(handle, "fi_freeinfo", library.freeinfo);
  find(handle, "fi_dupinfo", library.dupinfo);
  find(handle, "fi_fabric", library.fabric);
  find(handle, "fi_strerror", library.strerror);
  return library;
}

void make_strict(fi_info& info) {
  const Own own{info.domain_attr->mr_mode, info.tx_attr->inject_size, info.tx_attr->size, info.rx_attr->size,
                info.ep_attr->max_msg_size};
  {
    const std::scoped_lock lock(mutex);
    own_of[info.fabric_attr->prov_name] = own;
  }
  const Settings& wanted = settings();
  info.domain_attr->mr_mode |= kModes;
  info.tx_attr->inject_size = std::min<std::size_t>(own.inject, wanted.inject);
  if (wanted.depth != 0) {
    info.tx_attr->size = std::min<std::size_t>(own.transmit, wanted.depth);
    info.rx_attr->size = std::min<std::size_t>(own.receive, wanted.depth);
  }
  if (wanted.max != 0) info.ep_attr->max_msg_size = std::min<std::size_t>(own.max, wanted.max);
  if (wanted.reorder != 0) info.tx_attr->msg_order = info.rx_attr->msg_order &= ~std::uint64_t{FI_ORDER_SAW};
}

}  // namespace

strict_fabric_counts_t counts;

const RealLibrary& real() {
  static const RealLibrary once = open();
  return once;
}

fi_info* as_real(const fi_info& info) {
  fi_info* const copy = real().dupinfo(&info);
  const std::scoped_lock lock(mutex);
  const Own& own = own_of.at(info.fabric_attr->prov_name);
  copy->domain_attr->mr_mode = own.modes;
  copy->tx_attr->inject_size = own.inject;
  copy->tx_attr->size = own.transmit;
  copy->rx_attr->size = own.receive;
  copy->ep_attr->max_msg_size = own.max;
  return copy;
}

}  // namespace strict_fabric

using namespace strict_fabric;  // NOLINT(google-build-using-namespace): the functions below are C's

extern "C" {

const strict_fabric_counts_t* strict_fabric_counts() { return &counts; }

uint32_t fi_version() { return real().version(); }
void fi_freeinfo(fi_info* info) { real().freeinfo(info); }
fi_info* fi_dupinfo(const fi_info* info) { return real().dupinfo(info); }
const char* fi_strerror(int code) { return real().strerror(code); }

int fi_getinfo(uint32_t version, const char* node, const char* service, uint64_t flags, const fi_info* hints,
               fi_info** info) {
  *info = nullptr;
  // Who does not offer all modes is offered nothing.
  if (hints == nullptr || (hints->domain_attr->mr_mode & kModes) != kModes) return -FI_ENODATA;
  const int code = real().getinfo(version, node, service, flags, hints, info);
  for (fi_info* each = code == 0 ? *info : nullptr; each != nullptr; each = each->next) make_strict(*each);
  return code;
}

int fi_fabric(fi_fabric_attr* attributes, fid_fabric** fabric, void* context) {
  static fi_ops ops{sizeof(fi_ops), close_object<Fabric>, nullptr, nullptr, nullptr, nullptr, nullptr};
  static fi_ops_fabric calls{sizeof(fi_ops_fabric), open_domain, nullptr, nullptr, nullptr, nullptr, nullptr};
  auto* const own = new Fabric{};
  const int code = real().fabric(attributes, &own->behind, context);
  if (code != 0) {
    delete own;
    return code;
  }
  own->fid = {FI_CLASS_FABRIC, context, &ops};
  own->ops = &calls;
  *fabric = own;
  return 0;
}
}

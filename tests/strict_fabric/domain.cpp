// Domains, registered memory, addresses of peers.
#include <rdma/fi_errno.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <random>

#include "objects.hpp"

namespace strict_fabric {
namespace {

Domain& domain_of(fid_domain* domain) { return *static_cast<Domain*>(domain); }

int insert(fid_av* addresses, const void* text, std::size_t count, fi_addr_t* handles, std::uint64_t flags, void* context) {
  auto& own = *static_cast<AddressVector*>(addresses);
  const Entrance entrance(*own.domain);
  counts.connected += count;
  return fi_av_insert(own.behind, text, count, handles, flags, context);
}

const char* straddr(fid_av* addresses, const void* address, char* text, std::size_t* length) {
  return fi_av_straddr(static_cast<AddressVector*>(addresses)->behind, address, text, length);
}

void check_touched(const void* data, std::size_t bytes) {
  constexpr std::size_t kPage = 4096;
  const std::size_t begin = reinterpret_cast<std::uintptr_t>(data) / kPage * kPage;
  const std::size_t length = reinterpret_cast<std::uintptr_t>(data) + bytes - begin;
  std::vector<unsigned char> resident((length + kPage - 1) / kPage);
  if (mincore(reinterpret_cast<void*>(begin), length, resident.data()) != 0) broken("memory is registered that is none");
  for (const unsigned char page : resident)
    if ((page & 1U) == 0) broken("memory is registered that was not touched before (FI_MR_ALLOCATED)");
}

// As the system counts it for hardware: all of the process together, root's too.
std::atomic<std::size_t> locked_bytes = 0;

bool can_lock(std::size_t bytes) {
  rlimit limit{};
  return settings().memlock == 0 || getrlimit(RLIMIT_MEMLOCK, &limit) != 0 || locked_bytes + bytes <= limit.rlim_cur;
}

int close_region(fid* region) {
  Region& own = *reinterpret_cast<Region*>(region);
  const Entrance entrance(*own.domain);
  for (const auto& [context, posted] : own.domain->posted)
    if (posted.data >= own.begin && posted.data + posted.bytes <= own.begin + own.bytes && posted.bytes != 0)
      broken("memory is unregistered while the provider uses it");
  locked_bytes -= own.bytes;
  return close_object<Region>(region);
}

std::uint64_t random_key() {
  static std::random_device random;
  return (std::uint64_t{random()} << 31 | random()) >> 1;
}

}  // namespace

int open_domain(fid_fabric* fabric, fi_info* info, fid_domain** domain, void* context) {
  static fi_ops ops{sizeof(fi_ops), close_object<Domain>, nullptr, nullptr, nullptr, nullptr, nullptr};
  static fi_ops_domain calls{sizeof(fi_ops_domain),
                             open_address_vector,
                             open_queue,
                             open_endpoint,
                             nullptr,
                             nullptr,
                             nullptr,
                             nullptr,
                             nullptr,
                             nullptr,
                             nullptr,
                             nullptr};
  static fi_ops_mr regions{sizeof(fi_ops_mr), open_region, nullptr, nullptr};
  auto* const own = new Domain{};
  fi_info* const asked = as_real(*info);
  own->virtual_addresses = (asked->domain_attr->mr_mode & FI_MR_VIRT_ADDR) != 0;
  const int code = fi_domain(static_cast<Fabric*>(fabric)->behind, asked, &own->behind, context);
  real().freeinfo(asked);
  if (code != 0) {
    delete own;
    return code;
  }
  own->fid = {FI_CLASS_DOMAIN, context, &ops};
  own->ops = &calls;
  own->mr = &regions;
  *domain = own;
  return 0;
}

int open_region(fid* domain, const void* data, std::size_t bytes, std::uint64_t access, std::uint64_t offset, std::uint64_t,
                std::uint64_t flags, fid_mr** region, void* context) {
  static fi_ops ops{sizeof(fi_ops), close_region, nullptr, nullptr, nullptr, nullptr, nullptr};
  Domain& inside = *reinterpret_cast<Domain*>(domain);
  const Entrance entrance(inside);
  check_touched(data, bytes);
  if (!can_lock(bytes)) return -FI_ENOMEM;
  ++counts.registrations;
  auto* const own = new Region{};
  // Where the provider counts from the begin of the memory: memory that begins at 0 makes this the address.
  const void* const begin = inside.virtual_addresses ? data : nullptr;
  const std::size_t length = inside.virtual_addresses ? bytes : reinterpret_cast<std::uintptr_t>(data) + bytes;
  const int code = fi_mr_reg(inside.behind, begin, length, access, offset, random_key(), flags, &own->behind, context);
  if (code != 0) {
    delete own;
    return code;
  }
  own->fid = {FI_CLASS_MR, context, &ops};
  own->descriptor = fi_mr_desc(own->behind);
  own->mem_desc = own;
  own->key = fi_mr_key(own->behind);
  own->domain = &inside;
  own->begin = static_cast<const std::byte*>(data);
  own->bytes = bytes;
  own->access = access;
  locked_bytes += bytes;
  *region = own;
  return 0;
}

int open_address_vector(fid_domain* domain, fi_av_attr* attributes, fid_av** addresses, void* context) {
  static fi_ops ops{sizeof(fi_ops), close_object<AddressVector>, nullptr, nullptr, nullptr, nullptr, nullptr};
  static fi_ops_av calls{sizeof(fi_ops_av), insert, nullptr, nullptr, nullptr, nullptr, straddr, nullptr};
  auto* const own = new AddressVector{};
  own->domain = &domain_of(domain);
  const int code = fi_av_open(own->domain->behind, attributes, &own->behind, context);
  if (code != 0) {
    delete own;
    return code;
  }
  own->fid = {FI_CLASS_AV, context, &ops};
  own->ops = &calls;
  *addresses = own;
  return 0;
}

}  // namespace strict_fabric

#include "ofi/endpoint.hpp"

#include <rdma/fi_cm.h>
#include <rdma/fi_errno.h>
#include <sys/resource.h>

#include <algorithm>
#include <random>
#include <string_view>

#include "base/error.hpp"
#include "ofi/address.hpp"

namespace xylem::ofi {
namespace {

void check(long code, const char* call, const fi_info& info) {
  if (code >= 0) return;
  throw Error(code == -FI_ENOMEM ? XYLEM_ERROR_OUT_OF_MEMORY : XYLEM_ERROR_SYSTEM,
              std::string("libfabric provider ") + info.fabric_attr->prov_name + " on " + info.domain_attr->name + ": " +
                  call + ": " + library().strerror(static_cast<int>(-code)));
}

// "fi_mr_reg of 4194304 bytes", and the limit that the system may have refused it for.
std::string registration(std::size_t bytes, int code) {
  std::string text = "fi_mr_reg of " + std::to_string(bytes) + " bytes";
  rlimit locked{};
  const bool by_limit = code == -FI_ENOMEM || code == -FI_EAGAIN || code == -FI_EPERM;
  if (!by_limit || getrlimit(RLIMIT_MEMLOCK, &locked) != 0) return text;
  if (locked.rlim_cur == RLIM_INFINITY) return text + " (no limit of locked memory: RLIMIT_MEMLOCK is unlimited)";
  return text + " (RLIMIT_MEMLOCK allows " + std::to_string(locked.rlim_cur) +
         " bytes of locked memory: raise it, for this shell with ulimit -l, or in /etc/security/limits.conf)";
}

std::uint64_t random_key(std::size_t bytes) {
  std::random_device random;
  const std::uint64_t key = std::uint64_t{random()} << 32 | random();
  // Some providers have a use for the topmost bit.
  return key >> (bytes < sizeof key ? 64 - 8 * bytes : 1);
}

// What is sent with FI_INJECT. ofi_rxd (libfabric 1.17, and 2.1 still) loses the data beside such a message: fi_tsendmsg puts
// 0 in its place.
std::size_t inject_room(const fi_info& info) {
  return std::string_view(info.fabric_attr->prov_name).ends_with("ofi_rxd") ? 0 : info.tx_attr->inject_size;
}

// Room for addresses of any provider: the longest known are host names.
constexpr std::size_t kAddressRoom = 1024;

}  // namespace

Endpoint::Endpoint(Info info) : info_(std::move(info)) {
  fid_fabric* fabric = nullptr;
  check(library().fabric(info_->fabric_attr, &fabric, nullptr), "fi_fabric", *info_);
  fabric_.reset(fabric);

  fid_domain* domain = nullptr;
  check(fi_domain(fabric, info_.get(), &domain, nullptr), "fi_domain", *info_);
  domain_.reset(domain);

  fi_cq_attr cq_attributes{};
  cq_attributes.size = info_->tx_attr->size + info_->rx_attr->size;
  cq_attributes.format = FI_CQ_FORMAT_TAGGED;
  cq_attributes.wait_obj = FI_WAIT_NONE;
  fid_cq* cq = nullptr;
  check(fi_cq_open(domain, &cq_attributes, &cq, nullptr), "fi_cq_open", *info_);
  cq_.reset(cq);

  fi_av_attr av_attributes{};
  av_attributes.type = info_->domain_attr->av_type == FI_AV_MAP ? FI_AV_MAP : FI_AV_TABLE;
  fid_av* av = nullptr;
  check(fi_av_open(domain, &av_attributes, &av, nullptr), "fi_av_open", *info_);
  av_.reset(av);

  fid_ep* ep = nullptr;
  check(fi_endpoint(domain, info_.get(), &ep, nullptr), "fi_endpoint", *info_);
  ep_.reset(ep);
  check(fi_ep_bind(ep, &av->fid, 0), "fi_ep_bind to the address vector", *info_);
  check(fi_ep_bind(ep, &cq->fid, FI_TRANSMIT | FI_RECV), "fi_ep_bind to the completion queue", *info_);
  check(fi_enable(ep), "fi_enable", *info_);

  std::size_t length = kAddressRoom;
  address_.resize(length);
  check(fi_getname(&ep->fid, address_.data(), &length), "fi_getname", *info_);
  address_.resize(length);
  inject_room_ = inject_room(*info_);
  inside_host_ = reach_of(info_->addr_format, address_, {}) == Reach::shared_memory;
}

std::string Endpoint::address_text() const {
  std::string text(kAddressRoom, '\0');
  std::size_t length = text.size();
  if (fi_av_straddr(av_.get(), address_.data(), text.data(), &length) == nullptr) return "?";
  text.resize(text.find('\0'));
  return text;
}

Handle<fid_mr> Endpoint::register_memory(std::span<std::byte> memory, Access access) {
  const int mode = info_->domain_attr->mr_mode;
  if (access == Access::local && (mode & FI_MR_LOCAL) == 0) return nullptr;
  // Keys are ours to choose unless the provider does. They must differ, and strangers shall not guess them.
  const std::uint64_t key = (mode & FI_MR_PROV_KEY) != 0 ? 0 : random_key(info_->domain_attr->mr_key_size);
  fid_mr* region = nullptr;
  const std::uint64_t uses = access == Access::local ? FI_SEND | FI_RECV | FI_WRITE : FI_SEND | FI_REMOTE_WRITE;
  const int code = fi_mr_reg(domain_.get(), memory.data(), memory.size(), uses, 0, key, 0, &region, nullptr);
  if (code != 0) check(code, registration(memory.size(), code).c_str(), *info_);
  Handle<fid_mr> owner(region);
  if ((mode & FI_MR_ENDPOINT) != 0) {
    check(fi_mr_bind(region, &ep_->fid, 0), "fi_mr_bind", *info_);
    check(fi_mr_enable(region), "fi_mr_enable", *info_);
  }
  return owner;
}

std::uint64_t Endpoint::remote_address(std::span<const std::byte> memory, const std::byte* data) const {
  // Absolute, or counted from where the registered memory begins.
  const bool absolute = (info_->domain_attr->mr_mode & FI_MR_VIRT_ADDR) != 0;
  return absolute ? reinterpret_cast<std::uintptr_t>(data) : static_cast<std::uint64_t>(data - memory.data());
}

fi_addr_t Endpoint::insert(std::span<const std::byte> address) {
  fi_addr_t handle = FI_ADDR_NOTAVAIL;
  const int inserted = fi_av_insert(av_.get(), address.data(), 1, &handle, 0, nullptr);
  check(inserted == 1 ? 0 : std::min(inserted, -FI_EINVAL), "fi_av_insert of a peer's address", *info_);
  return handle;
}

PostResult Endpoint::receive(const Buffer& buffer, Operation& operation) {
  constexpr std::uint64_t kAnyTag = ~std::uint64_t{0};
  const ssize_t code =
      fi_trecv(ep_.get(), buffer.data, buffer.bytes, buffer.descriptor, FI_ADDR_UNSPEC, 0, kAnyTag, &operation.context);
  operation.pending = code == 0;
  return code;
}

PostResult Endpoint::send(const Buffer& buffer, fi_addr_t to, std::uint64_t tag, std::uint64_t data, Operation& operation) {
  const bool is_small = inject_room_ != 0 && buffer.bytes <= inject_room_;
  if (is_small && inside_host_) return fi_tinjectdata(ep_.get(), buffer.data, buffer.bytes, data, to, tag);
  const iovec local{buffer.data, buffer.bytes};
  void* descriptor = buffer.descriptor;
  fi_msg_tagged message{};
  message.msg_iov = &local;
  message.desc = &descriptor;
  message.iov_count = 1;
  message.addr = to;
  message.tag = tag;
  message.context = &operation.context;
  message.data = data;
  // Not fi_tinjectdata: what becomes of its message is told to nobody, and where a connection breaks it is lost.
  const std::uint64_t flags = FI_COMPLETION | FI_REMOTE_CQ_DATA | (is_small ? FI_INJECT : 0);
  const ssize_t code = fi_tsendmsg(ep_.get(), &message, flags);
  operation.pending = code == 0;
  return code;
}

PostResult Endpoint::write(const Buffer& buffer, fi_addr_t to, std::uint64_t address, std::uint64_t key,
                           Operation& operation) {
  const iovec local{buffer.data, buffer.bytes};
  const fi_rma_iov remote{address, buffer.bytes, key};
  void* descriptor = buffer.descriptor;
  fi_msg_rma message{};
  message.msg_iov = &local;
  message.desc = &descriptor;
  message.iov_count = 1;
  message.addr = to;
  message.rma_iov = &remote;
  message.rma_iov_count = 1;
  message.context = &operation.context;
  const std::uint64_t flags = FI_COMPLETION | (orders_writes() ? 0 : FI_DELIVERY_COMPLETE);
  const ssize_t code = fi_writemsg(ep_.get(), &message, flags);
  operation.pending = code == 0;
  return code;
}

void Endpoint::cancel(Operation& operation) {
  // A refusal means that it has completed; the completion tells.
  if (operation.pending) fi_cancel(&ep_->fid, &operation.context);
}

std::span<const fi_cq_tagged_entry> Endpoint::read() {
  const ssize_t count = fi_cq_read(cq_.get(), entries_.data(), entries_.size());
  failed_ = count < 0 && count != -FI_EAGAIN;
  return {entries_.data(), count > 0 ? static_cast<std::size_t>(count) : 0};
}

Completion Endpoint::completion(const fi_cq_tagged_entry& entry) {
  Completion done{static_cast<Operation*>(entry.op_context)};
  done.bytes = entry.len;
  done.tag = entry.tag;
  done.data = entry.data;
  done.has_data = (entry.flags & FI_REMOTE_CQ_DATA) != 0;
  return done;
}

Completion Endpoint::failure() {
  fi_cq_err_entry entry{};
  const ssize_t count = fi_cq_readerr(cq_.get(), &entry, 0);
  failed_ = false;
  if (count != 1) {
    Completion done{.operation = nullptr, .of_queue = true};
    done.error = count < 0 ? static_cast<int>(-count) : static_cast<int>(FI_EOTHER);
    done.reason = std::string("the completion queue failed: ") + library().strerror(done.error);
    return done;
  }
  Completion done{static_cast<Operation*>(entry.op_context)};
  done.tag = entry.tag;
  done.error = entry.err;
  done.reason = library().strerror(entry.err);
  std::array<char, 256> detail{};
  const char* const words = fi_cq_strerror(cq_.get(), entry.prov_errno, entry.err_data, detail.data(), detail.size());
  if (words != nullptr && *words != '\0' && done.reason != words) done.reason += std::string(" (") + words + ")";
  return done;
}

}  // namespace xylem::ofi

// Endpoints: every post is checked, counted, and now and then refused.
#include <rdma/fi_errno.h>

#include <string_view>

#include "objects.hpp"

namespace strict_fabric {
namespace {

Endpoint& endpoint_of(fid_ep* endpoint) { return *static_cast<Endpoint*>(endpoint); }

// The provider's own descriptor.
void* checked(void* descriptor, const void* data, std::size_t bytes, std::uint64_t access) {
  if (bytes == 0) return nullptr;
  if (descriptor == nullptr) broken("a buffer without the descriptor of its memory (FI_MR_LOCAL)");
  const Region& region = *static_cast<Region*>(descriptor);
  const auto* const begin = static_cast<const std::byte*>(data);
  if (begin < region.begin || begin + bytes > region.begin + region.bytes)
    broken("a buffer outside of its registered memory");
  if ((region.access & access) == 0) broken("memory is used for what it was not registered for");
  return region.descriptor;
}

// Whether a post is to be refused.
bool refused(Endpoint& endpoint, std::size_t under_way, std::size_t places) {
  // At random, but the same in each run: a fixed rhythm might always meet the same post.
  const std::uint64_t again = settings().again;
  std::uint64_t& dice = endpoint.domain->dice;
  dice = dice * 6364136223846793005 + 1442695040888963407;
  if (under_way < places && (again == 0 || (dice >> 33) % again != 0)) return false;
  ++counts.refused;
  return true;
}

void check_length(const Endpoint& endpoint, std::size_t bytes) {
  if (bytes > endpoint.max_bytes) broken("a message longer than max_msg_size");
}

void note(Endpoint& endpoint, Posted::Kind kind, const void* data, std::size_t bytes, void* context) {
  const auto* const begin = static_cast<const std::byte*>(data);
  const std::uint64_t sum = kind == Posted::Kind::receive ? 0 : sum_of(begin, bytes);
  if (!endpoint.domain->posted.emplace(context, Posted{kind, &endpoint, begin, bytes, sum}).second)
    broken("a context is used again before its completion was read");
}

ssize_t receive(fid_ep* ep, void* data, std::size_t bytes, void* descriptor, fi_addr_t from, std::uint64_t tag,
                std::uint64_t ignore, void* context) {
  Endpoint& own = endpoint_of(ep);
  const Entrance entrance(*own.domain);
  void* const behind = checked(descriptor, data, bytes, FI_RECV);
  if (refused(own, own.receiving, own.receive_places)) return -FI_EAGAIN;
  const ssize_t code = fi_trecv(own.behind, data, bytes, behind, from, tag, ignore, context);
  if (code != 0) return code;
  ++own.receiving;
  ++counts.receives;
  note(own, Posted::Kind::receive, data, bytes, context);
  return 0;
}

bool is_lost(const Settings& settings, std::size_t bytes, std::uint64_t number) {
  if (bytes != 0) return number == settings.fail;
  return settings.fail_empty != 0 && number >= settings.fail_empty && number < settings.fail_empty + settings.fail_empties;
}

ssize_t send(fid_ep* ep, const fi_msg_tagged* message, std::uint64_t flags) {
  Endpoint& own = endpoint_of(ep);
  const Entrance entrance(*own.domain);
  const auto [data, bytes] = message->msg_iov[0];
  if ((flags & FI_COMPLETION) == 0) broken("a message that nobody learns of when it is lost");
  const bool injected = (flags & FI_INJECT) != 0;
  if (injected && bytes > settings().inject) broken("more bytes are injected than inject_size");
  void* behind = injected ? nullptr : checked(message->desc[0], data, bytes, FI_SEND);
  check_length(own, bytes);
  if (refused(own, own.sending, own.transmit_places)) return -FI_EAGAIN;
  // Counted when it is taken.
  std::uint64_t& taken = bytes != 0 ? own.domain->sends : own.domain->empty_sends;
  if (is_lost(settings(), bytes, taken + 1)) {
    fi_cq_err_entry bad{};
    bad.op_context = message->context;
    bad.err = bad.prov_errno = FI_EIO;
    own.queue->waiting.push_back({{}, bad, settings().delay});
  } else {
    fi_msg_tagged asked = *message;
    asked.desc = &behind;
    const ssize_t code = fi_tsendmsg(own.behind, &asked, flags);
    if (code != 0) return code;
  }
  ++taken;
  ++own.sending;
  ++(injected ? counts.injects : counts.sends);
  counts.bytes_sent += bytes;
  // What is injected has left its buffer.
  note(own, Posted::Kind::send, data, injected ? 0 : bytes, message->context);
  return 0;
}

// Offered inside a host only, where no connection can break and lose it untold.
ssize_t inject(fid_ep* ep, const void* data, std::size_t bytes, std::uint64_t word, fi_addr_t to, std::uint64_t tag) {
  Endpoint& own = endpoint_of(ep);
  const Entrance entrance(*own.domain);
  if (bytes > settings().inject) broken("more bytes are injected than inject_size");
  if (refused(own, own.sending, own.transmit_places)) return -FI_EAGAIN;
  const ssize_t code = fi_tinjectdata(own.behind, data, bytes, word, to, tag);
  if (code != 0) return code;
  ++counts.injects;
  counts.bytes_sent += bytes;
  return 0;
}

ssize_t write(fid_ep* ep, const fi_msg_rma* message, std::uint64_t flags) {
  Endpoint& own = endpoint_of(ep);
  const Entrance entrance(*own.domain);
  const iovec local = message->msg_iov[0];
  void* behind = checked(message->desc[0], local.iov_base, local.iov_len, FI_WRITE);
  check_length(own, local.iov_len);
  if (refused(own, own.sending, own.transmit_places)) return -FI_EAGAIN;
  if (settings().reorder != 0) {
    if ((flags & FI_DELIVERY_COMPLETE) == 0)
      broken("a write whose completion tells nothing, and nothing orders messages after it");
    own.domain->held.push_back({&own, local, behind, message->addr, message->rma_iov[0], message->context, flags, 3});
  } else {
    fi_msg_rma asked = *message;
    asked.desc = &behind;
    const ssize_t code = fi_writemsg(own.behind, &asked, flags);
    if (code != 0) return code;
  }
  ++own.sending;
  ++counts.writes;
  counts.bytes_written += local.iov_len;
  note(own, Posted::Kind::write, local.iov_base, local.iov_len, message->context);
  return 0;
}

ssize_t cancel(fid* endpoint, void* context) {
  Endpoint& own = *reinterpret_cast<Endpoint*>(endpoint);
  const Entrance entrance(*own.domain);
  return fi_cancel(&own.behind->fid, context);
}

int getname(fid* endpoint, void* address, std::size_t* bytes) {
  return fi_getname(&reinterpret_cast<Endpoint*>(endpoint)->behind->fid, address, bytes);
}

int bind(fid* endpoint, fid* other, std::uint64_t flags) {
  if (other->fclass == FI_CLASS_CQ) reinterpret_cast<Endpoint*>(endpoint)->queue = reinterpret_cast<Queue*>(other);
  fid* const behind = other->fclass == FI_CLASS_CQ ? &reinterpret_cast<Queue*>(other)->behind->fid
                                                   : &reinterpret_cast<AddressVector*>(other)->behind->fid;
  return fi_ep_bind(reinterpret_cast<Endpoint*>(endpoint)->behind, behind, flags);
}

int control(fid* endpoint, int command, void* argument) {
  fid* const behind = &reinterpret_cast<Endpoint*>(endpoint)->behind->fid;
  return behind->ops->control(behind, command, argument);
}

int close_endpoint(fid* endpoint) {
  Endpoint& own = *reinterpret_cast<Endpoint*>(endpoint);
  // What is under way ends with it.
  std::erase_if(own.domain->posted, [&](const auto& each) { return each.second.endpoint == &own; });
  std::erase_if(own.domain->held, [&](const HeldWrite& each) { return each.endpoint == &own; });
  return close_object<Endpoint>(endpoint);
}

}  // namespace

int open_endpoint(fid_domain* domain, fi_info* info, fid_ep** endpoint, void* context) {
  static fi_ops ops{sizeof(fi_ops), close_endpoint, bind, control, nullptr, nullptr, nullptr};
  static fi_ops_ep calls{sizeof(fi_ops_ep), cancel, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr};
  static fi_ops_cm names{sizeof(fi_ops_cm), nullptr, getname, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr};
  static fi_ops_tagged tagged{
      sizeof(fi_ops_tagged), receive, nullptr, nullptr, nullptr, nullptr, send, nullptr, nullptr, nullptr};
  static fi_ops_tagged inside_host{
      sizeof(fi_ops_tagged), receive, nullptr, nullptr, nullptr, nullptr, send, nullptr, nullptr, inject};
  static fi_ops_rma rma{sizeof(fi_ops_rma), nullptr, nullptr, nullptr, nullptr, nullptr, write, nullptr, nullptr, nullptr};
  auto* const own = new Endpoint{};
  own->domain = static_cast<Domain*>(domain);
  own->transmit_places = info->tx_attr->size;
  own->receive_places = info->rx_attr->size;
  own->max_bytes = info->ep_attr->max_msg_size;
  fi_info* const asked = as_real(*info);
  const int code = fi_endpoint(own->domain->behind, asked, &own->behind, context);
  real().freeinfo(asked);
  if (code != 0) {
    delete own;
    return code;
  }
  own->fid = {FI_CLASS_EP, context, &ops};
  own->ops = &calls;
  own->cm = &names;
  own->tagged = std::string_view(info->fabric_attr->prov_name) == "shm" ? &inside_host : &tagged;
  own->rma = &rma;
  *endpoint = own;
  return 0;
}

}  // namespace strict_fabric

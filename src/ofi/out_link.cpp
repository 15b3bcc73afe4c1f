#include "ofi/out_link.hpp"

#include <rdma/fi_errno.h>

#include <algorithm>
#include <string>

#include "ofi/hub.hpp"
#include "ofi/in_link.hpp"
#include "ofi/links.hpp"

namespace xylem::ofi {

OutLink::OutLink(Links& links, Hub& hub, int peer, fi_addr_t address, std::uint64_t link, std::uint32_t slot_bytes)
    : links_(&links), hub_(hub), peer_(peer), address_(address), link_(link), memory_(hub.endpoint(), slot_bytes) {
  for (std::uint32_t i = 0; i < kSlots; ++i) {
    operations_[i].kind = Operation::Kind::send;
    operations_[i].slot = i;
    operations_[i].out = this;
  }
}

bool OutLink::post() {
  const exec::ChannelTail& tail = memory_.tail();
  const std::uint64_t published = exec::load_acquire(tail.position);
  const std::uint64_t before = posted_.load(std::memory_order_relaxed);
  std::uint64_t position = before;
  for (; position < published; ++position) {
    const auto slot = static_cast<std::uint32_t>(position % kSlots);
    // Every payload says what we have read of the opposite channel: messages of their own are rarely needed for that.
    InLink* const opposite = links_->in(peer_);
    const Credit credit = opposite != nullptr ? opposite->credit() : Credit{};
    const bool direct = direct_ && tail.bytes[slot] > InLink::kSmall;
    const Tag tag{direct ? MessageKind::direct : MessageKind::payload, direct ? slot : 0, link_};
    const Data data{tail.signature[slot], static_cast<std::uint16_t>(position), credit};
    const PostResult code =
        hub_.endpoint().send(memory_.buffer(slot, tail.bytes[slot]), address_, pack(tag), pack(data), operations_[slot]);
    if (code == -FI_EAGAIN) break;
    if (code != 0) {
      links_->fail("cannot send to rank " + std::to_string(peer_) + ": " + library().strerror(static_cast<int>(-code)),
                   peer_);
      break;
    }
    if (opposite != nullptr) opposite->told(credit);
  }
  posted_.store(position, std::memory_order_relaxed);
  return position != before;
}

void OutLink::sent(const Completion& done) {
  if (links_ == nullptr) return;
  if (done.error != 0) {
    links_->fail("cannot send to rank " + std::to_string(peer_) + ": " + done.reason, peer_);
    return;
  }
  complete_ahead_ |= 1U << done.operation->slot;
  for (std::uint32_t bit = 1U << completed_ % kSlots; (complete_ahead_ & bit) != 0; bit = 1U << completed_ % kSlots) {
    complete_ahead_ &= ~bit;
    ++completed_;
  }
  move_head();
}

void OutLink::credited(const Credit& credit) {
  direct_ |= credit.direct;
  const std::int64_t more = distance(read_, credit.read, 15);
  // Messages may overtake each other: what an older one says is known already.
  if (more <= 0) return;
  if (read_ + static_cast<std::uint64_t>(more) > posted_.load(std::memory_order_relaxed)) {
    links_->fail("rank " + std::to_string(peer_) + " says that it has read what was never sent: a malformed message", peer_);
    return;
  }
  read_ += static_cast<std::uint64_t>(more);
  move_head();
}

void OutLink::move_head() {
  // A slot may be written again when the peer has read it and the provider does not need it for a repetition.
  const std::uint64_t free = std::min(read_, completed_);
  if (free != memory_.head().position) exec::store_release(memory_.head().position, free);
}

}  // namespace xylem::ofi

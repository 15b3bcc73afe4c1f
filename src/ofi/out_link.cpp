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
  memory_.allow_sends();
  for (Slot& slot : slots_)
    for (Operation* const operation : {&slot.write, &slot.message}) {
      operation->kind = Operation::Kind::send;
      operation->out = this;
    }
}

bool OutLink::post() {
  const std::uint64_t published = exec::load_acquire(memory_.tail().position);
  const std::uint64_t before = posted_.load(std::memory_order_relaxed);
  // Messages follow their writes closely: the peer may have a use for the first while the last is on its way.
  std::uint64_t position = before;
  bool moved = false;
  do {
    moved = write_ahead(std::min(position + 1, published)) || moved;
    if (position == begun_ || !post_message(position)) break;
    posted_.store(++position, std::memory_order_relaxed);
  } while (position != published);
  // Where a message must wait for its write, the writes of the others need not.
  moved = write_ahead(published) || moved;
  if (position != before) move_head();
  return moved || position != before;
}

bool OutLink::write_ahead(std::uint64_t published) {
  const std::uint64_t before = begun_;
  for (; begun_ < published; ++begun_) {
    const auto index = static_cast<std::uint32_t>(begun_ % kSlots);
    const std::uint32_t bytes = memory_.tail().bytes[index];
    Slot& slot = slots_[index];
    slot.written = remote_ && bytes > InLink::kSmall;
    if (!slot.written) continue;
    const std::uint64_t there = remote_->address + index * remote_->stride;
    if (!took(hub_.endpoint().write(memory_.buffer(index, bytes), address_, there, remote_->key, slot.write))) break;
  }
  return begun_ != before;
}

bool OutLink::post_message(std::uint64_t position) {
  const auto index = static_cast<std::uint32_t>(position % kSlots);
  const exec::ChannelTail& tail = memory_.tail();
  Slot& slot = slots_[index];
  if (slot.write.pending && !hub_.endpoint().orders_writes()) return false;
  // Every message says what we have read of the opposite channel: messages of their own are rarely needed for that.
  InLink* const opposite = links_->in(peer_);
  const std::uint16_t credit = opposite != nullptr ? opposite->credit() : std::uint16_t{0};
  const Tag tag = slot.written ? Tag{MessageKind::written, index, link_} : Tag{MessageKind::payload, 0, link_};
  const std::uint64_t detail = slot.written ? tail.bytes[index] - 1 : position;
  const Data data{tail.signature[index], static_cast<std::uint16_t>(detail), credit};
  const Endpoint::Buffer buffer = memory_.buffer(index, slot.written ? 0 : tail.bytes[index]);
  if (!took(hub_.endpoint().send(buffer, address_, pack(tag), pack(data), slot.message))) return false;
  if (opposite != nullptr) opposite->told(credit);
  return true;
}

bool OutLink::took(PostResult code) {
  if (code != 0 && code != -FI_EAGAIN)
    links_->fail("cannot send to rank " + std::to_string(peer_) + ": " + library().strerror(static_cast<int>(-code)), peer_);
  return code == 0;
}

void OutLink::sent(const Completion& done) {
  if (links_ == nullptr) return;
  if (done.error != 0)
    links_->fail("cannot send to rank " + std::to_string(peer_) + ": " + done.reason, peer_);
  else
    move_head();
}

void OutLink::credited(std::uint16_t read) {
  const std::int64_t more = distance(read_, read);
  // Messages may overtake each other: what an older one says is known already.
  if (more <= 0) return;
  if (read_ + static_cast<std::uint64_t>(more) > posted_.load(std::memory_order_relaxed)) {
    links_->fail("rank " + std::to_string(peer_) + " says that it has read what was never sent: a malformed message", peer_);
    return;
  }
  read_ += static_cast<std::uint64_t>(more);
  move_head();
}

bool OutLink::quiet() const {
  return std::none_of(slots_.begin(), slots_.end(),
                      [](const Slot& slot) { return slot.write.pending || slot.message.pending; });
}

void OutLink::move_head() {
  const std::uint64_t posted = posted_.load(std::memory_order_relaxed);
  for (; completed_ < posted; ++completed_) {
    const Slot& slot = slots_[completed_ % kSlots];
    if (slot.write.pending || slot.message.pending) break;
  }
  // A slot may be written again when the peer has read it and the provider does not need it for a repetition.
  const std::uint64_t free = std::min(read_, completed_);
  if (free != memory_.head().position) exec::store_release(memory_.head().position, free);
}

}  // namespace xylem::ofi

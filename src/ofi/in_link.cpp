#include "ofi/in_link.hpp"

#include <rdma/fi_errno.h>

#include <algorithm>
#include <cstring>

#include "ofi/hub.hpp"
#include "ofi/links.hpp"

namespace xylem::ofi {

InLink::InLink(Links& links, Hub& hub, int peer, std::uint64_t link, std::uint32_t slot_bytes)
    : links_(&links), hub_(hub), peer_(peer), link_(link), memory_(hub.endpoint(), slot_bytes) {
  for (std::uint32_t i = 0; i < kSlots; ++i) {
    receives_[i].kind = Operation::Kind::direct_receive;
    receives_[i].slot = i;
    receives_[i].in = this;
  }
  credit_message_.kind = Operation::Kind::credit;
  credit_message_.in = this;
}

InLink::~InLink() {
  if (leased_) hub_.give_back(kSlots);
}

void InLink::arrived(const Data& data, std::span<const std::byte> payload) {
  accept(data, payload.size(), payload.data(), kSlots);
  if (payload.size() > kSmall && !leased_) leased_ = hub_.lease(kSlots);
}

void InLink::received(const Completion& done) {
  if (links_ == nullptr || done.error == FI_ECANCELED) return;
  if (done.error != 0)
    links_->fail("a message from rank " + std::to_string(peer_) + " could not be received: " + done.reason, peer_);
  else if (!done.has_data)
    malformed("it has no header");
  else {
    const Data data = unpack_data(done.data);
    links_->credited(peer_, data.credit);
    accept(data, done.bytes, nullptr, done.operation->slot);
  }
}

// `payload` is null for a direct message: it is in `slot` already.
void InLink::accept(const Data& data, std::size_t bytes, const std::byte* payload, std::uint32_t slot) {
  const std::int64_t ahead = distance(published_, data.position, 16);
  const std::uint64_t position = published_ + static_cast<std::uint64_t>(ahead);
  const auto index = static_cast<std::uint32_t>(position % kSlots);
  if (ahead < 0 || position >= told_ + kSlots || (arrived_ahead_ & 1U << index) != 0)
    return malformed("slot " + std::to_string(data.position) + " where " + std::to_string(published_ & 0xffff) + " is next");
  if (payload == nullptr && slot != index) return malformed("it came into the wrong slot");
  if (bytes > memory_.slot_bytes())
    return malformed(std::to_string(bytes) + " bytes for a slot of " + std::to_string(memory_.slot_bytes()));

  if (payload != nullptr && bytes != 0) std::memcpy(memory_.slot(index), payload, bytes);
  exec::ChannelTail& tail = memory_.tail();
  tail.bytes[index] = static_cast<std::uint32_t>(bytes);
  tail.signature[index] = data.signature;
  arrived_ahead_ |= 1U << index;
  const std::uint64_t before = published_;
  for (std::uint32_t bit = 1U << published_ % kSlots; (arrived_ahead_ & bit) != 0; bit = 1U << published_ % kSlots) {
    arrived_ahead_ &= ~bit;
    ++published_;
  }
  if (published_ != before) exec::store_release(tail.position, published_);
}

void InLink::refill() {
  const std::uint64_t read = std::min(exec::load_acquire(memory_.head().position), published_);
  if (!leased_) {
    free_ = read;
    return;
  }
  while (free_ < read && post(static_cast<std::uint32_t>(free_ % kSlots))) ++free_;
  if (!granted_ && free_ == read) grant();
}

// Slots with something unread are posted when they have been read, before the peer hears that they are free.
void InLink::grant() {
  bool all = true;
  for (std::uint64_t position = published_; position < free_ + kSlots; ++position) {
    const auto index = static_cast<std::uint32_t>(position % kSlots);
    if ((arrived_ahead_ & 1U << index) == 0) all = post(index) && all;
  }
  granted_ = all;
}

// A slot may be posted from earlier: its last payload came through the pool.
bool InLink::post(std::uint32_t slot) {
  if (receives_[slot].pending) return true;
  const std::uint64_t tag = pack(Tag{MessageKind::direct, slot, link_});
  const PostResult code = hub_.endpoint().receive(memory_.buffer(slot, memory_.slot_bytes()), tag, 0, receives_[slot]);
  if (code != 0 && code != -FI_EAGAIN)
    links_->fail("cannot post a receive from rank " + std::to_string(peer_) + ": " +
                 library().strerror(static_cast<int>(-code)));
  return code == 0;
}

void InLink::told(const Credit& credit) {
  told_ += static_cast<std::uint64_t>(std::max<std::int64_t>(distance(told_, credit.read, 15), 0));
  told_granted_ |= credit.direct;
}

bool InLink::credit_due(bool all) const {
  if (gone_ || credit_message_.pending) return false;
  return free_ - told_ >= kSlots / 2 || (all && (free_ != told_ || granted_ != told_granted_));
}

bool InLink::send_credit(fi_addr_t address, std::uint64_t link) {
  const Credit now = credit();
  const PostResult code = hub_.endpoint().send(memory_.buffer(0, 0), address, pack(Tag{MessageKind::credit, 0, link}),
                                               pack(Data{0, 0, now}), credit_message_);
  if (code == -FI_EAGAIN) return false;
  gone_ = code != 0;
  told(now);
  return true;
}

// A peer that has all it wants may have gone: then nobody misses the credit, and sends to it will tell if not.
void InLink::credit_sent(const Completion& done) {
  if (done.error != 0) gone_ = true;
}

bool InLink::unread() const { return arrived_ahead_ != 0 || exec::load_acquire(memory_.head().position) < published_; }

bool InLink::quiet() const {
  return !credit_message_.pending &&
         std::none_of(receives_.begin(), receives_.end(), [](const Operation& each) { return each.pending; });
}

void InLink::cancel() {
  for (Operation& receive : receives_) hub_.endpoint().cancel(receive);
}

void InLink::malformed(const std::string& what) {
  links_->fail("malformed message from rank " + std::to_string(peer_) + ": " + what, peer_);
}

}  // namespace xylem::ofi

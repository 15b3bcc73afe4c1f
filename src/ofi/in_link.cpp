#include "ofi/in_link.hpp"

#include <rdma/fi_errno.h>

#include <algorithm>
#include <cstring>

#include "ofi/hub.hpp"
#include "ofi/links.hpp"

namespace xylem::ofi {

InLink::InLink(Links& links, Hub& hub, int peer, std::uint32_t slot_bytes)
    : links_(&links), hub_(hub), peer_(peer), memory_(hub.endpoint(), slot_bytes) {
  answer_.kind = Operation::Kind::answer;
  answer_.in = this;
}

void InLink::arrived(const Data& data, std::span<const std::byte> payload) {
  if (!expected(data.detail)) return;
  if (payload.size() > memory_.slot_bytes())
    return malformed(std::to_string(payload.size()) + " bytes for a slot of " + std::to_string(memory_.slot_bytes()));
  const std::uint32_t index = data.detail % kSlots;
  if (!payload.empty()) std::memcpy(memory_.slot(index), payload.data(), payload.size());
  publish(index, payload.size(), data.signature);
  if (payload.size() > kSmall && grant_ == Grant::none) {
    memory_.allow_writes();
    grant_ = Grant::due;
  }
}

void InLink::written(const Data& data, std::uint32_t slot) {
  const std::size_t bytes = std::size_t{data.detail} + 1;
  // The one position among those that may come which this slot is for.
  const auto position = static_cast<std::uint16_t>(published_ + (slot + kSlots - published_ % kSlots) % kSlots);
  if (!writable() || bytes > memory_.slot_bytes())
    return malformed("it was not asked to write " + std::to_string(bytes) + " bytes");
  if (expected(position)) publish(slot, bytes, data.signature);
}

bool InLink::expected(std::uint16_t position) {
  const std::int64_t ahead = distance(published_, position);
  const bool may_come = ahead >= 0 && published_ + static_cast<std::uint64_t>(ahead) < told_ + kSlots;
  if (may_come && (arrived_ahead_ & 1U << position % kSlots) == 0) return true;
  malformed("slot " + std::to_string(position) + " where " + std::to_string(published_ & 0xffff) + " is next");
  return false;
}

void InLink::publish(std::uint32_t index, std::size_t bytes, std::uint32_t signature) {
  exec::ChannelTail& tail = memory_.tail();
  tail.bytes[index] = static_cast<std::uint32_t>(bytes);
  tail.signature[index] = signature;
  arrived_ahead_ |= 1U << index;
  const std::uint64_t before = published_;
  for (std::uint32_t bit = 1U << published_ % kSlots; (arrived_ahead_ & bit) != 0; bit = 1U << published_ % kSlots) {
    arrived_ahead_ &= ~bit;
    ++published_;
  }
  if (published_ != before) exec::store_release(tail.position, published_);
}

void InLink::refill() { free_ = std::min(exec::load_acquire(memory_.head().position), published_); }

void InLink::told(std::uint16_t credit) {
  told_ += static_cast<std::uint64_t>(std::max<std::int64_t>(distance(told_, credit), 0));
}

bool InLink::answer_due(bool all) const {
  if (answer_.pending) return false;
  if (unanswered_ != 0) return Clock::now() >= repeat_at_;
  return grant_ == Grant::due || free_ - told_ >= kSlots / 2 || (all && free_ != told_);
}

bool InLink::answer(fi_addr_t address, std::uint64_t link) {
  const bool grants = grant_ == Grant::due;
  const Tag tag{grants ? MessageKind::grant : MessageKind::credit, 0, link};
  const Endpoint::Buffer note = grants ? memory_.note(memory_.remote()) : Endpoint::Buffer{};
  const PostResult code = hub_.endpoint().send(note, address, pack(tag), pack(Data{0, 0, credit()}), answer_);
  if (code == -FI_EAGAIN) return false;
  if (code != 0) {
    repeat_later();
    return false;
  }
  if (grants) grant_ = Grant::told;
  told(credit());
  return true;
}

void InLink::answered(const Completion& done) {
  if (done.error != 0)
    repeat_later();
  else
    unanswered_ = 0;
}

// A peer that waits must hear of it, however long it takes until the network leads there again. One that has all it wants may
// have gone: so this is no failure, and repetitions become rare.
void InLink::repeat_later() {
  constexpr std::uint32_t kMostDoublings = 10;
  repeat_at_ = Clock::now() + std::chrono::milliseconds(1 << std::min(unanswered_, kMostDoublings));
  ++unanswered_;
}

bool InLink::unread() const { return arrived_ahead_ != 0 || exec::load_acquire(memory_.head().position) < published_; }

void InLink::malformed(const std::string& what) {
  links_->fail("malformed message from rank " + std::to_string(peer_) + ": " + what, peer_);
}

}  // namespace xylem::ofi

// The receiver's end of a channel from one peer: fills slots with what arrives, in whatever order, publishes them in order,
// and tells the peer what has been read. The first large payload lets the peer write into the slots from then on.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>

#include "ofi/slot_memory.hpp"
#include "ofi/wire.hpp"

namespace xylem::ofi {

class Hub;
class Links;

class InLink {
 public:
  // Payloads up to this size are sent, and copied into the slot: most providers do so with one message. Larger ones are
  // written.
  static constexpr std::uint32_t kSmall = 16 * 1024;

  // Throws Error.
  InLink(Links& links, Hub& hub, int peer, std::uint32_t slot_bytes);
  InLink(const InLink&) = delete;
  InLink& operator=(const InLink&) = delete;

  int peer() const { return peer_; }
  exec::Channel channel() const { return memory_.channel(); }

  // --- With the hub's mutex held. ---

  // A payload in a buffer of the hub's. Throws Error.
  void arrived(const Data& data, std::span<const std::byte> payload);
  // A payload was written into `slot`.
  void written(const Data& data, std::uint32_t slot);

  // Looks at what the receiver has read.
  void refill();
  // What to tell the peer now; told() when a message with it is on its way.
  std::uint16_t credit() const { return static_cast<std::uint16_t>(free_); }
  void told(std::uint16_t credit);
  // A message of its own is due: the peer may write from now on, half of the slots are read, or (`all`) anything is.
  bool answer_due(bool all) const;
  // Sends it to `peer`, who knows our messages as `link`. True if the provider took it.
  bool answer(fi_addr_t address, std::uint64_t link);
  void answered(const Completion& done);

  // Something has come that the receiver has not read.
  bool unread() const;
  // The provider holds none of our memory.
  bool quiet() const { return !answer_.pending; }
  // The peer has been told where to write.
  bool writable() const { return grant_ == Grant::told; }
  void abandon() { links_ = nullptr; }

 private:
  using Clock = std::chrono::steady_clock;
  enum class Grant : std::uint8_t { none, due, told };

  // Whether the slot of `position`, modulo 2^16, may be filled now; fails if not.
  bool expected(std::uint16_t position);
  void publish(std::uint32_t index, std::size_t bytes, std::uint32_t signature);
  void repeat_later();
  void malformed(const std::string& what);

  Links* links_;
  Hub& hub_;
  int peer_;
  SlotMemory memory_;
  Operation answer_{};
  // Slots counted since the channel was made: told_ <= free_ <= published_.
  std::uint64_t published_ = 0;
  std::uint64_t free_ = 0;           // read: the peer may fill them
  std::uint64_t told_ = 0;           // the peer knows
  std::uint32_t arrived_ahead_ = 0;  // bit i: slot i has arrived, one before it has not
  Grant grant_ = Grant::none;
  std::uint32_t unanswered_ = 0;  // answers in a row that failed
  Clock::time_point repeat_at_;   // where there are any
};

}  // namespace xylem::ofi

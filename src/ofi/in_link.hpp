// The receiver's end of a channel from one peer: fills slots with what arrives, in whatever order, publishes them in order,
// and tells the peer what has been read.
#pragma once

#include <array>
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
  // Payloads up to this size are copied out of the pool always: cheaper than a receive of their own.
  static constexpr std::uint32_t kSmall = 4096;

  // `link`: the number of our messages from this peer. Throws Error.
  InLink(Links& links, Hub& hub, int peer, std::uint64_t link, std::uint32_t slot_bytes);
  ~InLink();
  InLink(const InLink&) = delete;
  InLink& operator=(const InLink&) = delete;

  int peer() const { return peer_; }
  exec::Channel channel() const { return memory_.channel(); }

  // --- With the hub's mutex held. ---

  // A payload in a buffer of the pool.
  void arrived(const Data& data, std::span<const std::byte> payload);
  // A direct receive is over.
  void received(const Completion& done);

  // Looks at what the receiver has read, and posts its slots again if they are direct.
  void refill();
  // What to tell the peer now; told() when a message with it is on its way.
  Credit credit() const { return {static_cast<std::uint16_t>(free_ & 0x7fff), granted_}; }
  void told(const Credit& credit);
  // A message for the credit alone is due: half of the slots are read, or (`all`) anything is.
  bool credit_due(bool all) const;
  // Sends it to `peer`, who knows our messages as `link`. True if the provider took it.
  bool send_credit(fi_addr_t address, std::uint64_t link);
  void credit_sent(const Completion& done);

  // Something has come that the receiver has not read.
  bool unread() const;
  // The provider holds none of our memory.
  bool quiet() const;
  void cancel();
  void abandon() { links_ = nullptr; }

 private:
  void accept(const Data& data, std::size_t bytes, const std::byte* payload, std::uint32_t slot);
  bool post(std::uint32_t slot);
  void grant();
  void malformed(const std::string& what);

  Links* links_;
  Hub& hub_;
  int peer_;
  std::uint64_t link_;
  SlotMemory memory_;
  std::array<Operation, kSlots> receives_{};
  Operation credit_message_{};
  // Slots counted since the channel was made: told_ <= free_ <= read by the receiver <= published_.
  std::uint64_t published_ = 0;
  std::uint64_t free_ = 0;           // read, and posted again if direct: the peer may fill them
  std::uint64_t told_ = 0;           // the peer knows
  std::uint32_t arrived_ahead_ = 0;  // bit i: slot i has arrived, one before it has not
  bool leased_ = false;              // direct receives of the hub's are ours
  bool granted_ = false;             // every slot the peer may fill has one posted
  bool told_granted_ = false;
  bool gone_ = false;  // the peer takes no more messages
};

}  // namespace xylem::ofi

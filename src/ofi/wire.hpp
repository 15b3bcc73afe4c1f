// What a message says besides its payload: a 64-bit tag and the 64-bit "remote CQ data" that every reliable provider carries.
// A payload needs no header in memory this way, and travels from slot to slot without a copy.
//
//   tag   bit 47      direct: the message goes into the slot that the receiver has posted for it
//         bits 2-46   link: which communicator of the receiving process, and which of its ranks sends
//         bits 0-1    direct: index of the slot. Otherwise 0: a slot's payload, 1: credit only, 2: the sender gave up
//   data  bits 32-63  signature of the slot; of a sender that gave up: the rank that failed
//         bits 16-31  position of the slot, modulo 2^16; of a sender that gave up: why (exec::Fault)
//         bit 15      the receiver of the opposite channel has direct receives posted from now on
//         bits 0-14   credit: how many slots of the opposite channel have been read, modulo 2^15
//
// Tags fit in 48 bits because some networks have no more. Modular numbers suffice: at most kSlots slots are under way.
#pragma once

#include <cstdint>

#include "exec/channel.hpp"

namespace xylem::ofi {

using exec::kSlots;

enum class MessageKind : std::uint8_t { payload, credit, give_up, direct };

struct Tag {
  MessageKind kind;
  std::uint32_t slot;  // of a direct message
  std::uint64_t link;
};

inline constexpr std::uint64_t kDirectBit = std::uint64_t{1} << 47;
inline constexpr std::uint64_t kLinkLimit = std::uint64_t{1} << 45;
static_assert(kSlots == 4, "the tag has two bits for the slot");

constexpr std::uint64_t pack(const Tag& tag) {
  switch (tag.kind) {
    case MessageKind::direct:
      return kDirectBit | tag.link << 2 | tag.slot;
    case MessageKind::credit:
      return tag.link << 2 | 1;
    case MessageKind::give_up:
      return tag.link << 2 | 2;
    case MessageKind::payload:
      break;
  }
  return tag.link << 2;
}

constexpr Tag unpack_tag(std::uint64_t word) {
  const std::uint64_t link = (word & (kDirectBit - 1)) >> 2;
  const auto low = static_cast<std::uint32_t>(word & 3);
  if ((word & kDirectBit) != 0) return {MessageKind::direct, low, link};
  if (low == 0) return {MessageKind::payload, 0, link};
  return {low == 1 ? MessageKind::credit : MessageKind::give_up, 0, link};
}

struct Credit {
  std::uint16_t read;  // modulo 2^15
  bool direct;
};

struct Data {
  std::uint32_t signature;
  std::uint16_t position;
  Credit credit;
};

constexpr std::uint64_t pack(const Data& data) {
  return std::uint64_t{data.signature} << 32 | std::uint64_t{data.position} << 16 | std::uint64_t{data.credit.direct} << 15 |
         (data.credit.read & 0x7fffU);
}

constexpr Data unpack_data(std::uint64_t word) {
  return {static_cast<std::uint32_t>(word >> 32),
          static_cast<std::uint16_t>(word >> 16),
          {static_cast<std::uint16_t>(word & 0x7fff), (word >> 15 & 1) != 0}};
}

// The distance from `from` to the number that was cut to `bits` bits: negative when it lies behind.
constexpr std::int64_t distance(std::uint64_t from, std::uint64_t cut, unsigned bits) {
  const std::uint64_t range = std::uint64_t{1} << bits;
  const auto ahead = static_cast<std::int64_t>((cut - from) & (range - 1));
  return ahead < static_cast<std::int64_t>(range / 2) ? ahead : ahead - static_cast<std::int64_t>(range);
}

}  // namespace xylem::ofi

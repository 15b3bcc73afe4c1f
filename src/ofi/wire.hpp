// What a message says besides its payload: a 64-bit tag and the 64-bit "remote CQ data" that every reliable provider carries.
// A payload needs no header in memory this way, and travels from slot to slot without a copy.
//
//   tag   bits 3-47   link: which communicator of the receiving process, and which of its ranks sends
//         bits 0-2    kind
//   data  bits 32-63  signature of the slot; of a sender that gave up: the rank that failed
//         bits 16-31  by kind
//         bits 0-15   credit: how many slots of the opposite channel have been read, modulo 2^16
//
//   kind       message carries       bits 16-31 of the data
//   payload    a slot's payload      position of the slot, modulo 2^16
//   written+i  nothing               bytes in slot i, less one: the payload was written there before (RMA)
//   credit     nothing               0
//   give_up    nothing               why (exec::Fault)
//   grant      a RemoteSlots         0: the slots that the receiver of the message lets its peer write into
//
// Tags fit in 48 bits because some networks have no more. Modular numbers suffice: at most kSlots slots are under way.
#pragma once

#include <cstdint>

#include "exec/channel.hpp"

namespace xylem::ofi {

using exec::kSlots;

enum class MessageKind : std::uint8_t { payload, credit, give_up, grant, written };

struct Tag {
  MessageKind kind;
  std::uint32_t slot;  // of what was written
  std::uint64_t link;
};

inline constexpr std::uint64_t kTagLimit = std::uint64_t{1} << 48;
inline constexpr std::uint64_t kLinkLimit = kTagLimit >> 3;
static_assert(static_cast<std::uint32_t>(MessageKind::written) + kSlots <= 8,
              "three bits for the kind, and the slot if written");

constexpr std::uint64_t pack(const Tag& tag) { return tag.link << 3 | (static_cast<std::uint64_t>(tag.kind) + tag.slot); }

constexpr Tag unpack_tag(std::uint64_t word) {
  constexpr auto kWritten = static_cast<std::uint32_t>(MessageKind::written);
  const auto low = static_cast<std::uint32_t>(word & 7);
  const std::uint64_t link = word >> 3;
  if (low >= kWritten) return {MessageKind::written, low - kWritten, link};
  return {static_cast<MessageKind>(low), 0, link};
}

struct Data {
  std::uint32_t signature;
  std::uint16_t detail;
  std::uint16_t credit;
};

constexpr std::uint64_t pack(const Data& data) {
  return std::uint64_t{data.signature} << 32 | std::uint64_t{data.detail} << 16 | data.credit;
}

constexpr Data unpack_data(std::uint64_t word) {
  return {static_cast<std::uint32_t>(word >> 32), static_cast<std::uint16_t>(word >> 16), static_cast<std::uint16_t>(word)};
}

// Where slot 0 of a channel lies in its receiver's memory, as an RMA write takes it.
struct RemoteSlots {
  std::uint64_t address;
  std::uint64_t key;
  std::uint64_t stride;  // from slot to slot, in bytes
};

// The distance from `from` to the number that was cut to 16 bits: negative when it lies behind.
constexpr std::int64_t distance(std::uint64_t from, std::uint16_t cut) {
  return static_cast<std::int16_t>(static_cast<std::uint16_t>(cut - static_cast<std::uint16_t>(from)));
}

}  // namespace xylem::ofi

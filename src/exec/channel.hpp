// A Channel is a FIFO of slots from one rank to one other. A transport makes it (src/shm/, src/ofi/, src/cuda/), the
// algorithms use it through exec/port.hpp; neither knows the other.
//
// Legal use, sender:    (wait until position - head < kSlots; write slot; publish)*
//            receiver:  (wait until tail > position; read slot; release)*
//
// Memory: the tail line and the slots are written by the sender only, the head line by the receiver only. Inside a host both
// ends map the same lines. Across a network each end has lines and slots of its own, and a proxy (src/ofi/) carries a slot
// over when the sender's tail moves, and the head back when the receiver's head moves.
//
// Inside a host a slot may hold a Loan in place of bytes: the receiver copies them from the sender's own memory, where they
// stay as they are until it has given the slot back.
#pragma once

#include "exec/platform.hpp"

namespace xylem::exec {

// Slots of a channel. The sender's line describes each in one cache line together with the tail.
inline constexpr std::uint32_t kSlots = 4;

// Written by the sender. `position` counts the slots published since the channel was made; slot i of them lies at index
// i % kSlots. The store of `position` (release) publishes everything before it; its partner is the receiver's load (acquire).
struct alignas(kCacheLine) ChannelTail {
  std::uint64_t position;
  std::uint32_t bytes[kSlots];      // payload of each slot: what a proxy has to carry
  std::uint32_t signature[kSlots];  // of the call that wrote it (comm/call.hpp)
};
static_assert(sizeof(ChannelTail) == kCacheLine);

// Written by the receiver: how many slots it has read. The store (release) gives the slots back; its partner is the sender's
// load (acquire).
struct alignas(kCacheLine) ChannelHead {
  std::uint64_t position;
  std::uint64_t refused = 0;  // the position behind the last loan that the receiver could not take
};
static_assert(sizeof(ChannelHead) == kCacheLine);

// Where what a rank lends lies in its process. In `bytes` of the tail stands kLoanMark, which is no length of a slot.
struct Loan {
  const std::byte* address;
  std::uint64_t bytes;
};
inline constexpr std::uint32_t kLoanMark = ~std::uint32_t{0};

// One end of a channel, as an algorithm sees it. Plain, and private to its rank.
struct Channel {
  ChannelTail* tail = nullptr;
  ChannelHead* head = nullptr;
  std::byte* slots = nullptr;    // kSlots of slot_bytes each, aligned to a cache line
  std::uint32_t slot_bytes = 0;  // a multiple of 64; the same at both ends
  std::uint64_t position = 0;    // slots used by this end so far
  std::uint64_t seen = 0;        // the other end's position when last looked at
  std::int32_t process = 0;      // of the other end, where it may lend

  XYLEM_HD std::byte* slot() const { return slots + (position % kSlots) * slot_bytes; }
};

}  // namespace xylem::exec

// What lies where in a block: the part of a rank's arena that one communicator uses (docs/layout.md). Pure arithmetic.
//
//     BlockHead | board: kBoardDepth buffers | PeerLines of each peer | slots: kSlots of each peer
//
// Everything in a block is written by its owner alone, save the control line. Lines of different purpose are kPair apart, for
// processors fetch cache lines in pairs.
#pragma once

#include <cstddef>
#include <cstdint>

#include "exec/board.hpp"
#include "exec/channel.hpp"
#include "shm/call_log.hpp"

namespace xylem::shm {

inline constexpr std::size_t kPair = 2 * exec::kCacheLine;

// Written by peers, each word rarely.
struct alignas(kPair) Control {
  std::uint32_t abort;   // 0, or why the communicator is given up; the first reason stays
  std::uint32_t closed;  // peers that will not touch this block any more
  std::uint32_t left;    // 1: the owner has destroyed its side. Written by the owner
  std::uint32_t port;    // where the owner's process listens since it shrinks this communicator; 0: it does not. Of the owner
  std::uint64_t warned;  // in local rank 0's: the last call of which somebody has said that a rank is late
};

struct BlockHead {
  Control control;
  CallLog log;
  alignas(kPair) exec::BoardDone done;
};
static_assert(sizeof(BlockHead) == 2 * kPair + sizeof(CallLog));

// The owner's lines for one peer: the tail of its channel to the peer, and the head of the peer's channel to it. So a sender
// reads the head in the receiver's block: it looks there only when its slots are used up, the receiver writes it after each.
struct PeerLines {
  alignas(kPair) exec::ChannelTail tail;
  alignas(kPair) exec::ChannelHead head;
};
static_assert(sizeof(PeerLines) == 2 * kPair);

// Sizes are powers of two from the minimum to the maximum.
inline constexpr std::uint32_t kMinSlotBytes = 256;
inline constexpr std::uint32_t kMaxSlotBytes = 64 * 1024;
inline constexpr std::uint32_t kMinBoardBytes = 256;
inline constexpr std::uint32_t kMaxBoardBytes = 128 * 1024;

// The two sizes that a rank chooses.
struct BlockShape {
  std::uint32_t slot_bytes;
  std::uint32_t board_stride;

  bool operator==(const BlockShape&) const = default;
};

// Room for `bytes` of payload beside the word, in whole pairs of lines.
constexpr std::uint32_t board_stride_for(std::uint32_t bytes) {
  return static_cast<std::uint32_t>((bytes + sizeof(std::uint64_t) + kPair - 1) / kPair * kPair);
}
constexpr std::uint32_t board_payload_of(std::uint32_t stride) { return (stride - 8) / 32 * 32; }

// Whether choose_shape() can have made it.
bool is_shape(const BlockShape& shape);

// What a new block may take of an arena: a 64th, and half as much for each twelfth of the arena that is in use. So an arena
// never runs dry at once: it holds some large blocks, and thousands of small ones after them.
constexpr std::size_t block_limit(std::size_t arena_bytes, std::size_t free_bytes) {
  return arena_bytes / 64 >> 12 * (arena_bytes - free_bytes) / arena_bytes;
}

// The largest shape whose block fits in `limit` bytes, or the smallest there is. The board takes about an eighth at most.
BlockShape choose_shape(std::uint32_t local_size, std::size_t limit);

// Offsets in a block of one shape in a group of `local_size` ranks.
class BlockLayout {
 public:
  BlockLayout(std::uint32_t local_size, const BlockShape& shape);

  std::size_t bytes() const { return slots(peers_); }
  std::size_t board() const { return sizeof(BlockHead); }
  std::size_t lines(std::uint32_t index) const { return lines_ + index * sizeof(PeerLines); }
  std::size_t slots(std::uint32_t index) const { return slots_ + index * channel_bytes_; }

  // The index of `peer` in the block of `owner`, which has no channel to itself.
  static std::uint32_t index_of(std::uint32_t owner, std::uint32_t peer) { return peer < owner ? peer : peer - 1; }

 private:
  std::uint32_t peers_;
  std::size_t lines_;
  std::size_t slots_;
  std::size_t channel_bytes_;
};

}  // namespace xylem::shm

// What an algorithm is told of its call: buffers, and who takes part where. Plain, the same for CPU, GPU and recorder.
#pragma once

#include "coll/blocks.hpp"
#include "coll/group.hpp"
#include "coll/levels.hpp"
#include "exec/slice.hpp"

namespace xylem::coll {

// The shortest blocks that are lent (coll/loans.hpp), in bytes.
struct Loans {
  static constexpr std::size_t kNone = ~std::size_t{0};

  std::size_t exchanged = kNone;  // where two ranks have a block for each other
  std::size_t one_way = kNone;    // where one has

  // One way, slots are filled and emptied side by side, and a sender need not wait until all is read: a loan pays later.
  static constexpr Loans from(std::size_t shortest) {
    constexpr std::size_t kLater = 32;
    return {shortest, shortest < kNone / kLater ? shortest * kLater : kNone};
  }
};

struct Args {
  const std::byte* input = nullptr;
  std::byte* output = nullptr;  // may be input
  Blocks sent;                  // how the input is laid out
  Blocks received;              // how the output is laid out
  std::size_t element_bytes = 1;
  std::size_t chunk_bytes = 0;  // what one slot, or one board buffer, takes at most: a multiple of element_bytes
  Loans loans;
  std::uint32_t rank = 0;
  std::uint32_t ranks = 1;
  std::uint32_t root = 0;        // rooted collectives only
  std::byte* scratch = nullptr;  // memory of this rank's own: as much as the algorithm's scratch_bytes()

  Group all;                      // every rank, ranks of one host side by side
  Group host;                     // the ranks of this host, in the order of the board
  Levels inside;                  // which of them are nearer to each other
  Group leaders;                  // one rank of each host, the root on its host where there is one
  std::uint32_t host_leader = 0;  // the one of this host

  // Collectives on vectors: the length, and at most `most` bytes from `first` on.
  XYLEM_HD std::size_t bytes() const { return sent.length; }
  XYLEM_HD exec::View in(std::size_t first, std::size_t most) const { return in_block(0, first, most); }
  XYLEM_HD exec::Slice out(std::size_t first, std::size_t most) const { return out_block(0, first, most); }

  // Collectives on blocks: at most `most` bytes, from `first` on, of the block for or from a rank.
  XYLEM_HD_CALLED exec::View in_block(std::uint32_t of, std::size_t first, std::size_t most) const {
    const Range block = sent.at(of), part = clip(first, most, block.length);
    return {input + block.first + part.first, part.length};
  }
  XYLEM_HD_CALLED exec::Slice out_block(std::uint32_t of, std::size_t first, std::size_t most) const {
    const Range block = received.at(of), part = clip(first, most, block.length);
    return {output + block.first + part.first, part.length};
  }

  // The host by places on the board, and its levels; number inside.count is the whole host.
  XYLEM_HD Group board() const { return {nullptr, host.place, host.size}; }
  XYLEM_HD Level level(std::uint32_t number) const { return {inside, host.size, number}; }

  // Bytes of each of `parts` parts of a chunk, in whole elements. The plan sees to it that there is one for each.
  XYLEM_HD std::size_t chunk_part(std::uint32_t parts) const { return chunk_bytes / parts / element_bytes * element_bytes; }

  // Of a vector: the sum over what lies in that part of the output, in place.
  XYLEM_HD_CALLED Args of_sum(std::size_t first, std::size_t most) const {
    Args part = *this;
    const Range range = clip(first, most, received.length);
    part.input = output;
    part.received.skip += range.first;
    part.received.length = range.length;
    part.sent = part.received;
    return part;
  }

  // What one of several lanes does of this call. Each lane needs scratch memory and channels of its own. A reduce_scatter of
  // differing lengths must not be in place then: a lane's result would lie over what another has not read yet.
  XYLEM_HD_CALLED Args of_lane(LaneShare share) const {
    Args part = *this;
    part.sent = sent.of_lane(share);
    part.received = received.of_lane(share);
    return part;
  }
};

}  // namespace xylem::coll

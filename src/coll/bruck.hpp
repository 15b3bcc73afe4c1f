// Bruck's algorithms: in step i a rank sends to the one 2^i before or after it, for any number of ranks. With P ranks and N
// bytes in all blocks:
//   allgather  log2 P steps, rounded up, (P-1)/P N sent per rank: step i sends the first 2^i of the blocks that a rank has
//   alltoall   log2 P steps, rounded up, about 1/2 log2 P N sent per rank: a block moves by the bits of its way
// Latency log2 P hops. For small blocks; they are packed, many to a message. (Bruck, Ho, Kipnis, Upfal, Weathersby,
// "Efficient algorithms for all-to-all communications in multiport message-passing systems", 1997.)
#pragma once

#include "coll/args.hpp"
#include "coll/collective.hpp"
#include "coll/traits.hpp"
#include "exec/lane.hpp"

namespace xylem::coll {

// Sends the blocks of `count` places in a row to one rank, and receives as many from another: in pieces, of which a message
// holds one of each block.
template <class Lane>
XYLEM_HD_CALLED void pass_blocks(Lane& lane, const Args& args, std::uint32_t count, std::uint32_t to,
                                 std::uint32_t first_sent, std::uint32_t from, std::uint32_t first_received) {
  const std::size_t piece = args.chunk_part(count), longest = args.received.longest(args.ranks);
  for (std::size_t base = 0; base < longest; base += piece) {
    const auto block = [&](std::uint32_t place) { return args.out_block(args.all.rank(place % args.all.size), base, piece); };
    lane.send_blocks(to, count, [&](std::uint32_t i) { return block(first_sent + i); });
    lane.recv_blocks(from, count, [&](std::uint32_t i) { return block(first_received + i); });
  }
}

// A rank's own block is where it belongs.
template <class Lane>
XYLEM_HD void keep_own_block(Lane& lane, const Args& args) {
  for (std::size_t base = 0; base < args.sent.length; base += args.chunk_bytes) {
    lane.keep(args.out_block(args.rank, base, args.chunk_bytes), args.in(base, args.chunk_bytes));
  }
}

struct BruckAllgather {
  static constexpr auto collective = Collective::allgather;
  static constexpr const char* name = "bruck";
  static constexpr Traits traits = {.channels = true, .part_per_rank = true};

  static double cost(const Workload& work) {
    const auto passed = [&](double distance) {
      return (distance < work.ranks - distance ? distance : work.ranks - distance) / work.ranks * work.bytes;
    };
    return work.doubling_steps(passed, work.copy_per_byte) + work.border();
  }

  template <class Lane>
  static XYLEM_HD void run(Lane& lane, const Args& args) {
    const Group& all = args.all;
    keep_own_block(lane, args);
    // A rank has the blocks of `distance` places from its own on.
    for (std::uint32_t distance = 1; distance < all.size; distance *= 2) {
      const std::uint32_t count = distance < all.size - distance ? distance : all.size - distance;
      pass_blocks(lane, args, count, all.rank((all.place + all.size - distance) % all.size), all.place,
                  all.rank((all.place + distance) % all.size), all.place + distance);
    }
  }
};

struct BruckAlltoall {
  static constexpr auto collective = Collective::alltoall;
  static constexpr const char* name = "bruck";
  static constexpr Traits traits = {.channels = true, .part_per_rank = true};

  static double cost(const Workload& work) {
    return work.doubling_steps([&](double) { return work.bytes / 2; }, work.copy_per_byte) + work.border() +
           2 * work.bytes * work.board.per_byte;
  }
  static XYLEM_HD std::size_t scratch_bytes(const Args& args) { return args.ranks * piece(args); }

  // Block i of the scratch memory has i places left to go, from rank to rank.
  template <class Lane>
  static XYLEM_HD void run(Lane& lane, const Args& args) {
    const Group& all = args.all;
    const auto rank_after = [&](std::uint32_t places) { return all.rank((all.place + places) % all.size); };
    const std::size_t most = piece(args), length = args.sent.length;
    for (std::size_t base = 0; base < length; base += most) {
      const auto block = [&](std::uint32_t i) { return exec::Slice{args.scratch + i * most, smaller(most, length - base)}; };
      for (std::uint32_t i = 0; i < all.size; ++i) lane.copy(block(i), args.in_block(rank_after(i), base, most));
      for (std::uint32_t bit = 1; bit < all.size; bit *= 2) {
        // The blocks whose number has this bit.
        const std::uint32_t whole = all.size / (2 * bit) * bit, rest = all.size % (2 * bit);
        const std::uint32_t count = whole + (rest > bit ? rest - bit : 0);
        const auto moved = [&](std::uint32_t i) { return block(i / bit * 2 * bit + bit + i % bit); };
        lane.send_blocks(rank_after(bit), count, moved);
        lane.recv_blocks(rank_after(all.size - bit), count, moved);
      }
      for (std::uint32_t i = 0; i < all.size; ++i) lane.copy(args.out_block(rank_after(all.size - i), base, most), block(i));
    }
  }

 private:
  // A message holds a piece of half of the blocks.
  static XYLEM_HD std::size_t piece(const Args& args) { return args.chunk_part(args.ranks / 2); }
};

}  // namespace xylem::coll

// Parallel aggregated trees (PAT): every block goes along a binomial tree of its own, rooted at its owner; all trees are the
// same but for where they begin, so in every step each rank sends one message and receives one. A message carries as many
// blocks as fit; messages over long ways carry fewest. With P ranks, N bytes in all blocks and A blocks to a message:
//   allgather, reduce_scatter  P/A - 1 + log2 A messages, (P-1)/P N sent per rank
// Latency about log2 P hops for every A. For small and middle blocks, and more ranks than a ring suits. (Jeaugey, "PAT: a new
// algorithm for all-gather and reduce-scatter operations at scale", 2025.)
#pragma once

#include "coll/args.hpp"
#include "coll/collective.hpp"
#include "coll/traits.hpp"
#include "exec/lane.hpp"

namespace xylem::coll {

// Positions in a tree are distances from its root: the parent of a position lacks its lowest bit. A position is row * span +
// column. Positions of one column differ by whole rows, so their messages go to the same rank: one message takes a block of
// every row. What remains are the edges within column 0, from row to row, of which a message takes every other, fourth, ...
// one.
class PatShape {
 public:
  XYLEM_HD PatShape(std::uint32_t ranks, std::size_t chunk, std::size_t block)
      : ranks_(ranks), piece_(smaller(chunk, block)) {
    while (rows_ * span_ < ranks) span_ *= 2;
    for (; span_ > 2 && std::size_t{2} * rows_ * piece_ <= chunk; span_ /= 2) rows_ *= 2;
  }

  XYLEM_HD std::size_t piece() const { return piece_; }         // bytes of a block that a message takes at most
  XYLEM_HD std::uint32_t span() const { return span_; }         // columns
  XYLEM_HD std::uint32_t rows() const { return rows_; }         // that a message can take
  XYLEM_HD std::uint32_t rows_of(std::uint32_t column) const {  // how many positions there are in a column
    return column < ranks_ ? divide_up32(ranks_ - column, span_) : 0;
  }
  // How many rows have a child `distance` rows away in column 0: 0, 2 distance, 4 distance, ...
  XYLEM_HD std::uint32_t parents(std::uint32_t distance) const {
    const std::uint32_t rows = rows_of(0);
    return distance < rows ? divide_up32(rows - distance, 2 * distance) : 0;
  }
  // The children of a column are 1, 2, 4, ... columns away, less than this.
  XYLEM_HD std::uint32_t reach(std::uint32_t column) const { return column == 0 ? span_ : column & (0 - column); }

 private:
  static XYLEM_HD std::uint32_t divide_up32(std::uint32_t value, std::uint32_t by) { return (value + by - 1) / by; }

  std::uint32_t ranks_;
  std::size_t piece_;
  std::uint32_t rows_ = 1, span_ = 2;
};

// The messages of columns follow each other while those before them are under way; copying is not hidden. Every border
// between hosts is crossed by some messages of each short way.
inline double pat_cost(const Workload& work, double work_per_byte) {
  const double block = work.bytes / work.ranks;
  const PatShape shape(work.ranks, static_cast<std::size_t>(work.chunk_bytes), static_cast<std::size_t>(block) + 1);
  const double rounds = block < work.chunk_bytes ? 1 : block / work.chunk_bytes;
  const double per_byte = work.hosts == 1
                              ? work.board.per_byte + work.channel.per_byte
                              : work.copy_per_byte + (1 + log2_up(work.ranks_per_host) / 2) * work.network.per_byte;
  return rounds * (work.doubling_steps([](double) { return 0; }, 0) + work.border() + work.burst(shape.span() - 2)) +
         work.bytes * (per_byte + work_per_byte);
}

struct PatAllgather {
  static constexpr auto collective = Collective::allgather;
  static constexpr const char* name = "pat";
  static constexpr Traits traits = {.channels = true};

  static double cost(const Workload& work) { return pat_cost(work, work.copy_per_byte); }

  template <class Lane>
  static XYLEM_HD void run(Lane& lane, const Args& args) {
    const std::size_t longest = args.received.longest(args.ranks);
    const PatShape shape(args.all.size, args.chunk_bytes, longest);
    for (std::size_t base = 0; base < longest; base += shape.piece()) run_round(lane, args, shape, base);
  }

 private:
  // From the roots to the leaves, the longest ways first.
  template <class Lane>
  XYLEM_HD_CALLED static void run_round(Lane& lane, const Args& args, const PatShape& shape, std::size_t base) {
    const Group& all = args.all;
    const std::uint32_t span = shape.span();
    const auto after = [&](std::uint32_t places) { return all.rank((all.place + places) % all.size); };
    const auto before = [&](std::uint32_t places) { return after(all.size - places); };
    // The block in whose tree this rank has a position.
    const auto block = [&](std::uint32_t position) { return args.out_block(before(position), base, shape.piece()); };
    lane.keep(block(0), args.in(base, shape.piece()));
    for (std::uint32_t rows = shape.rows() / 2; rows != 0; rows /= 2) {
      const std::uint32_t count = shape.parents(rows);
      lane.send_blocks(after(rows * span), count, [&](std::uint32_t i) { return block(2 * i * rows * span); });
      lane.recv_blocks(before(rows * span), count, [&](std::uint32_t i) { return block((2 * i + 1) * rows * span); });
    }
    for (std::uint32_t column = 0; column < span; ++column) {
      const auto in_column = [&](std::uint32_t row) { return block(row * span + column); };
      if (column != 0) lane.recv_blocks(before(shape.reach(column)), shape.rows_of(column), in_column);
      for (std::uint32_t way = shape.reach(column) / 2; way != 0; way /= 2) {
        lane.send_blocks(after(way), shape.rows_of(column + way), in_column);
      }
    }
  }
};

// A round of the reduce-scatter on one rank.
template <class Lane>
class PatSums {
 public:
  XYLEM_HD PatSums(Lane& lane, const Args& args, const PatShape& shape, std::size_t base)
      : lane_(lane), args_(args), shape_(shape), base_(base) {}

  XYLEM_HD std::uint32_t after(std::uint32_t places) const {
    return args_.all.rank((args_.all.place + places) % args_.all.size);
  }
  XYLEM_HD std::uint32_t before(std::uint32_t places) const { return after(args_.all.size - places); }

  // A column's sums go to its parent.
  XYLEM_HD_CALLED void send(std::uint32_t column) {
    lane_.send_with(before(shape_.reach(column)), bytes(column, shape_.rows_of(column)),
                    [&](exec::Slice slot) { fold(column, slot.data, true); });
  }

  // The sums of column 0 are collected in row 0.
  XYLEM_HD_CALLED exec::Slice collect() {
    fold(0, args_.scratch, false);
    const auto sum = [&](std::uint32_t row) {
      return exec::Slice{args_.scratch + row * shape_.piece(), own(row * shape_.span()).bytes};
    };
    for (std::uint32_t rows = 1; rows < shape_.rows(); rows *= 2) {
      const std::uint32_t count = shape_.parents(rows), way = rows * shape_.span();
      lane_.send_blocks(before(way), count, [&](std::uint32_t i) { return sum((2 * i + 1) * rows); });
      lane_.recv_reduce_blocks(after(way), count, [&](std::uint32_t i) { return sum(2 * i * rows); });
    }
    return sum(0);
  }

 private:
  // This rank's contribution to the block in whose tree it has a position.
  XYLEM_HD exec::View own(std::uint32_t position) const { return args_.in_block(before(position), base_, shape_.piece()); }
  XYLEM_HD std::size_t bytes(std::uint32_t column, std::uint32_t rows) const {
    std::size_t sum = 0;
    for (std::uint32_t row = 0; row < rows; ++row) sum += own(row * shape_.span() + column).bytes;
    return sum;
  }

  // The sums of a column, row by row: packed, or a piece apart. What the first child sends is folded with the own
  // contributions, what the others send into the sums.
  XYLEM_HD void fold(std::uint32_t column, std::byte* sums, bool packed) {
    for (std::uint32_t way = 1; way == 1 || way < shape_.reach(column); way *= 2) {
      const std::uint32_t rows = way < shape_.reach(column) ? shape_.rows_of(column + way) : 0;
      const std::size_t received_bytes = bytes(column, rows);
      lane_.recv_with(after(way), received_bytes, [&](exec::View received) {
        std::byte* at = sums;
        for (std::uint32_t row = 0; row < rows; ++row) {
          const exec::View mine = own(row * shape_.span() + column);
          lane_.reduce({at, mine.bytes}, way == 1 ? mine : exec::View(at, mine.bytes), {received.data, mine.bytes});
          received.data += mine.bytes;
          at += packed ? mine.bytes : shape_.piece();
        }
      });
      if (way != 1) continue;
      std::byte* at = sums + (packed ? received_bytes : rows * shape_.piece());
      for (std::uint32_t row = rows; row < shape_.rows_of(column); ++row) {
        const exec::View mine = own(row * shape_.span() + column);
        lane_.copy({at, mine.bytes}, mine);
        at += packed ? mine.bytes : shape_.piece();
      }
    }
  }

  Lane& lane_;
  const Args& args_;
  const PatShape& shape_;
  std::size_t base_;
};

struct PatReduceScatter {
  static constexpr auto collective = Collective::reduce_scatter_block;
  static constexpr const char* name = "pat";
  static constexpr Traits traits = {.channels = true};

  static double cost(const Workload& work) { return pat_cost(work, work.reduce_per_byte); }
  static XYLEM_HD std::size_t scratch_bytes(const Args& args) { return args.chunk_bytes; }

  // From the leaves to the roots, the shortest ways first: the allgather backwards.
  template <class Lane>
  static XYLEM_HD void run(Lane& lane, const Args& args) {
    const std::size_t longest = args.sent.longest(args.ranks);
    const PatShape shape(args.all.size, args.chunk_bytes, longest);
    for (std::size_t base = 0; base < longest; base += shape.piece()) {
      PatSums sums(lane, args, shape, base);
      for (std::uint32_t column = shape.span() - 1; column != 0; --column) sums.send(column);
      // In place, this lies over input of this round or of rounds before, all of which has been sent by now.
      lane.keep(args.out(base, shape.piece()), sums.collect());
    }
  }
};

}  // namespace xylem::coll

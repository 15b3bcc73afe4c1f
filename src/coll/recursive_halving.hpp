// Recursive halving reduce-scatter: in step i a core (coll/cores.hpp) exchanges with the one whose number differs in bit i.
// Each gives the other what it has of the blocks of cores on that side, half of the blocks that both still work on, and folds
// what it gets. With P ranks and N bytes in all blocks: log2 P steps, (P-1)/P N sent per rank, latency log2 P hops. Where P
// is no power of two, the ranks above it fold all their blocks into others' before and get their own after: a step each, and
// N more. Small blocks go many to a message. Neighbours exchange most, those far away least; every block is folded along the
// canonical tree. For any size where a hop is dear, or sums must not depend on the algorithm. (Thakur, Rabenseifner, Gropp,
// "Optimization of collective communication operations in MPICH", 2005.)
#pragma once

#include "coll/args.hpp"
#include "coll/collective.hpp"
#include "coll/cores.hpp"
#include "coll/traits.hpp"
#include "exec/lane.hpp"

namespace xylem::coll {

// A round of one rank: a piece of every block. Sums lie in the scratch memory, a piece for each place.
template <class Lane>
class HalvingScatter {
 public:
  XYLEM_HD HalvingScatter(Lane& lane, const Args& args, const Cores& cores, std::size_t piece, std::size_t base)
      : lane_(lane), args_(args), cores_(cores), piece_(piece), base_(base) {}

  // The cores' blocks <- those of their pairs.
  XYLEM_HD_CALLED void fold_pairs() {
    if (!cores_.paired()) return;
    const Blocks all{0, 1, blocks_of(cores_.count())};
    for (std::uint32_t at = 0; at < all.count; at += per_message()) {
      if (cores_.is_core()) {
        fold(cores_.other(), all, at, cores_.pair_order());
      } else {
        send(cores_.other(), all, at);
      }
    }
    summed_ = true;
  }

  // The blocks of the own pair <- their sums over all cores.
  XYLEM_HD_CALLED void halve() {
    for (std::uint32_t bit = 1; bit < cores_.count(); bit *= 2) {
      const std::uint32_t side = cores_.number() & (2 * bit - 1), count = blocks_of(cores_.count() / (2 * bit));
      const Blocks kept{side, 2 * bit, count}, given{side ^ bit, 2 * bit, count};
      for (std::uint32_t at = 0; at < count; at += per_message()) {
        send(cores_.partner(bit), given, at);
        fold(cores_.partner(bit), kept, at, cores_.order(bit));
      }
      summed_ = true;
    }
  }

  // The rank's own block. In place, it lies over input of this round or of rounds before, all of which has been summed or
  // sent by now.
  XYLEM_HD_CALLED void deliver(exec::Slice out) {
    if (!cores_.is_core()) {
      lane_.recv(cores_.other(), out);
      return;
    }
    lane_.keep(out, exec::View(sum(args_.all.place)));
    if (cores_.paired()) lane_.send(sum(args_.all.place ^ 1U), cores_.other());
  }

 private:
  // The blocks of the cores `first`, `first + stride`, ...; where there are pairs, two of each, of which one may be none.
  struct Blocks {
    std::uint32_t first, stride, count;
  };
  XYLEM_HD std::uint32_t each() const { return cores_.places(0); }
  XYLEM_HD std::uint32_t blocks_of(std::uint32_t cores) const { return cores * each(); }
  XYLEM_HD std::uint32_t per_message() const { return static_cast<std::uint32_t>(args_.chunk_bytes / piece_); }
  XYLEM_HD std::uint32_t in_message(const Blocks& blocks, std::uint32_t at) const {
    return blocks.count - at < per_message() ? blocks.count - at : per_message();
  }

  // What this rank has of a block: its own contribution, or what has been summed of it.
  XYLEM_HD exec::View held(const Blocks& blocks, std::uint32_t i) const {
    const std::uint32_t core = blocks.first + i / each() * blocks.stride, which = i % each();
    if (which >= cores_.places(core)) return {nullptr, 0};
    const std::uint32_t place = cores_.first_place(core) + which;
    return summed_ ? exec::View(sum(place)) : args_.in_block(args_.all.rank(place), base_, piece_);
  }
  XYLEM_HD exec::Slice sum(std::uint32_t place) const {
    return {args_.scratch + place * piece_, args_.in_block(args_.all.rank(place), base_, piece_).bytes};
  }
  XYLEM_HD exec::Slice sum(const Blocks& blocks, std::uint32_t i) const {
    return sum(cores_.first_place(blocks.first + i / each() * blocks.stride) + i % each());
  }

  XYLEM_HD_CALLED void send(std::uint32_t to, const Blocks& blocks, std::uint32_t at) {
    lane_.send_blocks(to, in_message(blocks, at), [&](std::uint32_t i) { return held(blocks, at + i); });
  }

  XYLEM_HD_CALLED void fold(std::uint32_t from, const Blocks& blocks, std::uint32_t at, exec::Order order) {
    const std::uint32_t count = in_message(blocks, at);
    std::size_t bytes = 0;
    for (std::uint32_t i = 0; i < count; ++i) bytes += held(blocks, at + i).bytes;
    lane_.recv_with(from, bytes, [&](exec::View received) {
      for (std::uint32_t i = 0; i < count; ++i) {
        const exec::View own = held(blocks, at + i), there{received.data, own.bytes};
        received.data += own.bytes;
        if (own.bytes == 0) continue;
        const bool own_first = order == exec::Order::own_first;
        lane_.reduce(sum(blocks, at + i), own_first ? own : there, own_first ? there : own);
      }
    });
  }

  Lane& lane_;
  const Args& args_;
  const Cores& cores_;
  std::size_t piece_, base_;
  bool summed_ = false;
};

struct HalvingReduceScatter {
  static constexpr auto collective = Collective::reduce_scatter_block;
  static constexpr const char* name = "recursive_halving";
  static constexpr Traits traits = {.channels = true, .sums = SumOrder::canonical};

  static double cost(const Workload& work) {
    const auto halved = [&](double distance) { return work.bytes / (2 * distance); };
    return work.core_steps(halved, work.reduce_per_byte) + work.pairs(work.bytes / 2, work.reduce_per_byte);
  }
  static XYLEM_HD std::size_t scratch_bytes(const Args& args) { return args.ranks * piece(args); }

  template <class Lane>
  static XYLEM_HD void run(Lane& lane, const Args& args) {
    const Cores cores(args.all);
    const std::size_t longest = args.sent.longest(args.ranks), step = piece(args);
    for (std::size_t base = 0; base < longest; base += step) {
      HalvingScatter<Lane> round(lane, args, cores, step, base);
      round.fold_pairs();
      if (cores.is_core()) round.halve();
      round.deliver(args.out(base, step));
    }
  }

 private:
  static XYLEM_HD std::size_t piece(const Args& args) { return smaller(args.chunk_bytes, args.sent.longest(args.ranks)); }
};

}  // namespace xylem::coll

// One level after the other: inside each host over the board, between hosts along a binary tree. The ranks of a core complex
// have a leader, those of a NUMA node have one, the host has one, where there are such levels (coll/levels.hpp), so that a
// byte crosses each border once per direction, whatever the number of ranks behind it. With H hosts of L levels and N bytes:
//   allreduce, barrier  2 L hops inside a host and 2 log2 H between hosts
//   reduce, bcast       L hops inside a host and log2 H between hosts
// A leader shows or sends N per level and direction, other ranks show N. Latency as many hops. For small and middle messages;
// chunks follow each other without overlap. (Karonis, de Supinski, Foster, Gropp, Lusk, Bresnahan, "Exploiting hierarchy in
// parallel computer networks to optimize collective operation performance", 2000.)
#pragma once

#include "coll/binary_tree.hpp"
#include "coll/collective.hpp"
#include "coll/flat.hpp"
#include "coll/traits.hpp"

namespace xylem::coll {

// The steps that the collectives below have in common, for one chunk.
class Hierarchy {
 public:
  // `top` is the place among the leaders of the root of the tree.
  XYLEM_HD Hierarchy(const Args& args, std::uint32_t top)
      : args_(args), leads_(args.leaders.member()), leader_(args.host.place_of(args.host_leader)) {
    if (leads_) tree_ = BinaryTree(args.leaders, top);
  }

  XYLEM_HD bool leads() const { return leads_; }

  // The leader's `sum` <- what all ranks of the host have. The leaders of inner levels use theirs on the way.
  template <class Lane>
  XYLEM_HD void collect(Lane& lane, exec::View own, exec::Slice sum) const {
    if (args_.host.size == 1) {
      if (sum.data != own.data) lane.copy(sum, own);
      return;
    }
    exec::View shown = own;
    for (std::uint32_t number = 0; number <= args_.inside.count; ++number) {
      const Level level = args_.level(number);
      if (leads_group_of(level.below())) lane.show(shown);
      if (leads_group_of(level.width())) {
        const Group members = level.peers(args_.host.place, leader_);
        fold_in_order(lane, members, members.size, {own.bytes, 0, shown}, sum);
        shown = exec::View(sum);
      }
      lane.finish(leads_ && args_.inside.count == 0);
    }
  }

  // Every rank's `data` <- what the leader has in it.
  template <class Lane>
  XYLEM_HD void distribute(Lane& lane, exec::Slice data) const {
    if (args_.host.size == 1) return;
    for (std::uint32_t number = args_.inside.count + 1; number-- > 0;) {
      const Level level = args_.level(number);
      if (leads_group_of(level.width())) {
        lane.show(data);
      } else if (leads_group_of(level.below())) {
        const Group members = level.peers(args_.host.place, leader_);
        lane.copy(data, lane.fetch(members.rank(leader_ % level.width() / level.below()), data.bytes));
      }
      lane.finish(false);
    }
  }

  // Along the tree of leaders: `sum` at its root <- the sum of all leaders' `sum`s.
  template <class Lane>
  XYLEM_HD void up(Lane& lane, exec::Slice sum) const {
    if (!leads_) return;
    if (tree_.is_root()) {
      lane.recv_reduce_copy(tree_.children(), sum, sum);
    } else {
      lane.recv_reduce_send(tree_.children(), sum, tree_.parent());
    }
  }

  // Along the tree of leaders: every leader's `data` <- the root's.
  template <class Lane>
  XYLEM_HD void down(Lane& lane, exec::Slice data) const {
    if (!leads_) return;
    if (tree_.is_root()) {
      lane.send(data, tree_.children());
    } else {
      lane.recv_copy_send(tree_.parent(), data, tree_.children());
    }
  }

 private:
  // Groups of every level are led by the rank that is placed in them as the host's leader is in its own.
  XYLEM_HD bool leads_group_of(std::uint32_t width) const { return args_.host.place % width == leader_ % width; }

  const Args& args_;
  bool leads_;
  std::uint32_t leader_;  // of the host: its place on the board
  BinaryTree tree_;
};

// What the levels cost. Inside a host: whether all show and the leader sums it, and whether it shows what all take.
inline double inside(const Workload& work, bool collects, bool spreads) {
  if (work.ranks_per_host == 1) return 0;
  const double hops = (collects ? 1 : 0) + (spreads ? 1 : 0);
  const double summed = collects ? work.ranks_per_host - 1 : 0;
  return hops * (work.rounds(1) * work.board.latency + work.bytes * work.board.per_byte) +
         summed * work.bytes * (work.beyond(work.board) + work.reduce_per_byte) +
         (spreads ? work.bytes * work.board.per_byte : 0);
}
// Between hosts: `crossings` of the tree, one after the other.
inline double between(const Workload& work, double crossings, double reduce_per_byte) {
  return crossings * log2_up(work.hosts) *
         (work.rounds(1) * work.network.latency + work.bytes * (work.network.per_byte + reduce_per_byte));
}
// Where nothing comes back, chunks follow each other: an inner host of the tree has each from or for two others.
inline double stream_between(const Workload& work, double own_per_byte) {
  const double first = work.bytes < work.chunk_bytes ? work.bytes : work.chunk_bytes;
  const double hop = work.network.latency + first * (work.network.per_byte + own_per_byte);
  const double neighbours = work.hosts < 3 ? 1 : 2;
  const double slowest = own_per_byte > work.network.per_byte ? own_per_byte : work.network.per_byte;
  return log2_up(work.hosts) * hop + (work.hosts == 1 ? 0 : (work.bytes - first) * neighbours * slowest);
}

struct HierarchicalAllreduce {
  static constexpr auto collective = Collective::allreduce;
  static constexpr const char* name = "hierarchical";
  static constexpr Traits traits = {.board = true, .channels = true, .leaders = true, .levels = true};

  static double cost(const Workload& work) { return inside(work, true, true) + between(work, 2, work.reduce_per_byte); }

  template <class Lane>
  static XYLEM_HD void run(Lane& lane, const Args& args) {
    const Hierarchy hierarchy(args, 0);
    const std::size_t part = args.chunk_bytes;
    for (std::size_t base = 0; base < args.bytes(); base += part) {
      const exec::Slice out = args.out(base, part);
      hierarchy.collect(lane, args.in(base, part), out);
      hierarchy.up(lane, out);
      hierarchy.down(lane, out);
      hierarchy.distribute(lane, out);
    }
  }
};

struct HierarchicalReduce {
  static constexpr auto collective = Collective::reduce;
  static constexpr const char* name = "hierarchical";
  static constexpr Traits traits = {.board = true, .channels = true, .leaders = true, .levels = true};

  static double cost(const Workload& work) {
    if (work.hosts == 1) return FlatReduce::cost(work);
    return inside(work, true, false) + stream_between(work, work.reduce_per_byte);
  }
  static XYLEM_HD std::size_t scratch_bytes(const Args& args) { return args.chunk_bytes; }

  template <class Lane>
  static XYLEM_HD void run(Lane& lane, const Args& args) {
    const Hierarchy hierarchy(args, args.leaders.place_of(args.root));
    const std::size_t part = args.chunk_bytes;
    for (std::size_t base = 0; base < args.bytes(); base += part) {
      const exec::View own = args.in(base, part);
      // Only the root has a receive buffer.
      const exec::Slice sum = args.rank == args.root ? args.out(base, part) : exec::Slice{args.scratch, own.bytes};
      hierarchy.collect(lane, own, sum);
      hierarchy.up(lane, sum);
    }
  }
};

struct HierarchicalBcast {
  static constexpr auto collective = Collective::bcast;
  static constexpr const char* name = "hierarchical";
  static constexpr Traits traits = {.board = true, .channels = true, .leaders = true, .levels = true};

  static double cost(const Workload& work) {
    if (work.hosts == 1) return FlatBcast::cost(work);
    return inside(work, false, true) + stream_between(work, work.copy_per_byte);
  }

  template <class Lane>
  static XYLEM_HD void run(Lane& lane, const Args& args) {
    const Hierarchy hierarchy(args, args.leaders.place_of(args.root));
    const std::size_t part = args.chunk_bytes;
    for (std::size_t base = 0; base < args.bytes(); base += part) {
      const exec::Slice data = args.out(base, part);
      hierarchy.down(lane, data);
      hierarchy.distribute(lane, data);
    }
  }
};

struct HierarchicalBarrier {
  static constexpr auto collective = Collective::barrier;
  static constexpr const char* name = "hierarchical";
  static constexpr Traits traits = {.board = true, .channels = true, .leaders = true, .levels = true};

  static double cost(const Workload& work) {
    Workload token = work;
    token.bytes = 1;
    return inside(token, true, true) + between(token, 2, 0);
  }
  static XYLEM_HD std::size_t scratch_bytes(const Args&) { return 1; }

  // An allreduce of one byte that nobody looks at.
  template <class Lane>
  static XYLEM_HD void run(Lane& lane, const Args& args) {
    const Hierarchy hierarchy(args, 0);
    const exec::Slice token{args.scratch, 1};
    hierarchy.collect(lane, exec::View(token), token);
    hierarchy.up(lane, token);
    hierarchy.down(lane, token);
    hierarchy.distribute(lane, token);
  }
};

}  // namespace xylem::coll

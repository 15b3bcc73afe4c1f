// Flat algorithms for small messages inside a host: every rank shows its data on the board, and whoever needs it reads it
// there. With P ranks and N bytes: 1 hop; nothing is sent, a rank writes N and reads (P-1) N. Latency one cache-line transfer
// for N <= 56 bytes, since flag and data share the line. Sums are folded along the canonical tree, the same on every rank.
// (Graham and Shipman, "MPI support for multi-core architectures: optimized shared memory collectives", 2008.)
#pragma once

#include "coll/args.hpp"
#include "coll/collective.hpp"
#include "coll/shown_sums.hpp"
#include "coll/traits.hpp"
#include "exec/lane.hpp"

namespace xylem::coll {

// Memory for sums of parts of at most `part` bytes of what all ranks of the host show.
XYLEM_HD inline std::size_t tree_memory(const Args& args, std::size_t part) { return waiting_sums(args.host.size) * part; }

// The part from `base` on, at most `part` bytes, of every member's block: what the members show, and `own` in this rank's
// place.
template <class Lane>
XYLEM_HD void collect_shown(Lane& lane, const Args& args, std::size_t base, std::size_t part, exec::View own) {
  for (std::uint32_t member = 0; member < args.host.size; ++member) {
    const exec::Slice block = args.out_block(args.host.rank(member), base, part);
    if (member != args.host.place) {
      lane.copy(block, lane.fetch(member, block.bytes));
    } else {
      lane.keep(block, own);
    }
  }
}

// Shows the part from `base` on, at most `width` bytes, of the block for every member, so that one epoch serves all ranks.
template <class Lane>
XYLEM_HD void show_parts(Lane& lane, const Args& args, std::size_t base, std::size_t width) {
  lane.show_blocks(args.host.size, width,
                   [&](std::uint32_t member) { return args.in_block(args.host.rank(member), base, width); });
}

// Every rank shows everything, and one or all of them read and sum it. The first look at another's data costs most: what
// several ranks read comes from a cache that they share.
inline double fold_cost(const Workload& work) {
  return work.rounds(1) * work.board.latency +
         work.bytes * ((1 + work.ranks / 2.0) * work.board.per_byte + (work.ranks - 1) * work.reduce_per_byte);
}

struct FlatAllreduce {
  static constexpr auto collective = Collective::allreduce;
  static constexpr const char* name = "flat";
  static constexpr Traits traits = {.board = true, .one_host_only = true, .sums = SumOrder::canonical};

  static double cost(const Workload& work) { return fold_cost(work); }
  static XYLEM_HD std::size_t scratch_bytes(const Args& args) {
    return tree_memory(args, smaller(args.bytes(), args.chunk_bytes));
  }

  template <class Lane>
  static XYLEM_HD void run(Lane& lane, const Args& args) {
    const std::size_t part = args.chunk_bytes;
    for (std::size_t base = 0; base < args.bytes(); base += part) {
      const exec::View own = args.in(base, part);
      lane.show(own);
      fold_along_tree(lane, args.board(), {own.bytes, 0, own}, args.out(base, part), args.scratch);
      lane.finish(true);
    }
  }
};

struct FlatReduce {
  static constexpr auto collective = Collective::reduce;
  static constexpr const char* name = "flat";
  static constexpr Traits traits = {.board = true, .one_host_only = true, .sums = SumOrder::canonical};

  static double cost(const Workload& work) { return fold_cost(work); }
  static XYLEM_HD std::size_t scratch_bytes(const Args& args) {
    return tree_memory(args, smaller(args.bytes(), args.chunk_bytes));
  }

  template <class Lane>
  static XYLEM_HD void run(Lane& lane, const Args& args) {
    const std::size_t part = args.chunk_bytes;
    for (std::size_t base = 0; base < args.bytes(); base += part) {
      const exec::View own = args.in(base, part);
      lane.show(own);
      const bool is_root = args.rank == args.root;
      if (is_root) fold_along_tree(lane, args.board(), {own.bytes, 0, own}, args.out(base, part), args.scratch);
      lane.finish(is_root);
    }
  }
};

struct FlatBcast {
  static constexpr auto collective = Collective::bcast;
  static constexpr const char* name = "flat";
  static constexpr Traits traits = {.board = true, .channels = false, .one_host_only = true};

  static double cost(const Workload& work) {
    return work.rounds(1) * work.board.latency + 2 * work.bytes * work.board.per_byte;
  }

  template <class Lane>
  static XYLEM_HD void run(Lane& lane, const Args& args) {
    const std::size_t part = args.chunk_bytes;
    const std::uint32_t root = args.host.place_of(args.root);
    for (std::size_t base = 0; base < args.bytes(); base += part) {
      const exec::Slice data = args.out(base, part);
      if (args.host.place == root) {
        lane.show(data);
      } else {
        lane.copy(data, lane.fetch(root, data.bytes));
      }
      lane.finish(args.host.place != root && args.host.size == 2);
    }
  }
};

struct FlatAllgather {
  static constexpr auto collective = Collective::allgather;
  static constexpr const char* name = "flat";
  static constexpr Traits traits = {.board = true, .channels = false, .one_host_only = true};

  static double cost(const Workload& work) {
    return work.rounds(work.ranks) * work.board.latency + work.bytes * work.board.per_byte;
  }

  template <class Lane>
  static XYLEM_HD void run(Lane& lane, const Args& args) {
    const std::size_t part = args.chunk_bytes, longest = args.received.longest(args.ranks);
    for (std::size_t base = 0; base < longest; base += part) {
      const exec::View own = args.in(base, part);
      lane.show(own);
      collect_shown(lane, args, base, part, own);
      lane.finish(true);
    }
  }
};

struct FlatReduceScatter {
  static constexpr auto collective = Collective::reduce_scatter_block;
  static constexpr const char* name = "flat";
  static constexpr Traits traits = {
      .board = true, .channels = false, .one_host_only = true, .part_per_rank = true, .sums = SumOrder::canonical};

  static double cost(const Workload& work) {
    return work.rounds(1) * work.board.latency + work.bytes * (2 * work.board.per_byte + work.reduce_per_byte);
  }
  static XYLEM_HD std::size_t scratch_bytes(const Args& args) { return tree_memory(args, args.chunk_part(args.host.size)); }

  template <class Lane>
  static XYLEM_HD void run(Lane& lane, const Args& args) {
    const std::uint32_t members = args.host.size;
    const std::size_t longest = args.sent.longest(args.ranks);
    const std::size_t part = args.chunk_part(members);
    for (std::size_t base = 0; base < longest; base += part) {
      const std::size_t width = smaller(part, longest - base);
      show_parts(lane, args, base, width);
      fold_along_tree(lane, args.board(), {members * width, args.host.place * width, args.in_block(args.rank, base, width)},
                      args.out(base, width), args.scratch);
      lane.finish(true);
    }
  }
};

struct FlatBarrier {
  static constexpr auto collective = Collective::barrier;
  static constexpr const char* name = "flat";
  static constexpr Traits traits = {.board = true, .channels = false, .one_host_only = true};

  static double cost(const Workload& work) { return work.board.latency; }

  template <class Lane>
  static XYLEM_HD void run(Lane& lane, const Args& args) {
    lane.show({});
    for (std::uint32_t member = 0; member < args.host.size; ++member) {
      if (member != args.host.place) lane.fetch(member, 0);
    }
    lane.finish(true);
  }
};

}  // namespace xylem::coll

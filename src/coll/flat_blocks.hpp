// Flat algorithms (flat.hpp) for collectives on blocks that are alike: shown on the board, and read there by whom they are
// for. With P ranks and N bytes in the blocks of one rank, or of the root: 1 hop; nothing is sent, who has blocks for others
// writes N and who wants them reads N; the others N/P. Latency one cache-line transfer where a block and its flag share the
// line. (Graham and Shipman, "MPI support for multi-core architectures: optimized shared memory collectives", 2008.)
#pragma once

#include "coll/flat.hpp"

namespace xylem::coll {

struct FlatGather {
  static constexpr auto collective = Collective::gather;
  static constexpr const char* name = "flat";
  static constexpr Traits traits = {.board = true, .one_host_only = true};

  static double cost(const Workload& work) {
    const double own = work.bytes / work.ranks;
    return work.rounds(work.ranks) * work.board.latency + (work.bytes - own) * work.board.per_byte + own * work.copy_per_byte;
  }

  template <class Lane>
  static XYLEM_HD void run(Lane& lane, const Args& args) {
    const std::size_t part = args.chunk_bytes;
    const bool is_root = args.rank == args.root;
    for (std::size_t base = 0; base < args.sent.length; base += part) {
      const exec::View own = args.in(base, part);
      if (!is_root) {
        lane.show(own);
      } else {
        collect_shown(lane, args, base, part, own);
      }
      lane.finish(is_root);
    }
  }
};

struct FlatScatter {
  static constexpr auto collective = Collective::scatter;
  static constexpr const char* name = "flat";
  static constexpr Traits traits = {.board = true, .one_host_only = true, .part_per_rank = true};

  static double cost(const Workload& work) {
    return work.rounds(1) * work.board.latency + (work.bytes + work.bytes / work.ranks) * work.board.per_byte;
  }

  // A buffer holds the same part of every block, so that one epoch serves all ranks.
  template <class Lane>
  static XYLEM_HD void run(Lane& lane, const Args& args) {
    const std::uint32_t members = args.host.size, root = args.host.place_of(args.root);
    const std::size_t part = args.chunk_part(members);
    for (std::size_t base = 0; base < args.received.length; base += part) {
      const exec::Slice out = args.out(base, part);
      if (args.host.place == root) {
        lane.show_blocks(members, out.bytes,
                         [&](std::uint32_t member) { return args.in_block(args.host.rank(member), base, part); });
        lane.keep(out, args.in_block(args.rank, base, part));
      } else {
        const exec::View shown = lane.fetch(root, members * out.bytes);
        lane.copy(out, {shown.data + args.host.place * out.bytes, out.bytes});
      }
      lane.finish(false);
    }
  }
};

struct FlatAlltoall {
  static constexpr auto collective = Collective::alltoall;
  static constexpr const char* name = "flat";
  static constexpr Traits traits = {.board = true, .one_host_only = true, .part_per_rank = true};

  static double cost(const Workload& work) {
    return work.rounds(1) * work.board.latency + 2 * work.bytes * work.board.per_byte;
  }

  template <class Lane>
  static XYLEM_HD void run(Lane& lane, const Args& args) {
    const std::uint32_t members = args.host.size;
    const std::size_t part = args.chunk_part(members), length = args.sent.length;
    for (std::size_t base = 0; base < length; base += part) {
      const std::size_t width = smaller(part, length - base);
      show_parts(lane, args, base, width);
      for (std::uint32_t member = 0; member < members; ++member) {
        const exec::Slice out = args.out_block(args.host.rank(member), base, width);
        if (member == args.host.place) {
          lane.keep(out, args.in_block(args.rank, base, width));
        } else {
          const exec::View shown = lane.fetch(member, members * width);
          lane.copy(out, {shown.data + args.host.place * width, width});
        }
      }
      lane.finish(true);
    }
  }
};

}  // namespace xylem::coll

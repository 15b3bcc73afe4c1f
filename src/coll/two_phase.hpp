// Two-phase allreduce inside a host: every rank shows a chunk, sums its own slice of the chunk straight from the buffers of
// all, and shows the sum. Two hops whatever the number of ranks, where a ring takes 2(P-1): better where a hop is dear (more
// ranks than cores) or the message is of middle size. With P ranks and N bytes: 2 hops; nothing is sent, a rank writes
// N + N/P and reads about 2N. Latency two cache-line transfers for each chunk, for a chunk begins when all have read the one
// before. Slices are folded along the canonical tree. (The tiled reduce-broadcast of Li, Hoefler, Snir, "NUMA-aware
// shared-memory collective communication for MPI", 2013.)
#pragma once

#include "coll/flat.hpp"

namespace xylem::coll {

struct TwoPhaseAllreduce {
  static constexpr auto collective = Collective::allreduce;
  static constexpr const char* name = "two_phase";
  static constexpr Traits traits = {.board = true, .one_host_only = true, .sums = SumOrder::canonical};

  static double cost(const Workload& work) {
    return 2 * work.rounds(1) * work.board.latency + work.bytes * (2.2 * work.board.per_byte + work.reduce_per_byte);
  }
  static XYLEM_HD std::size_t scratch_bytes(const Args& args) {
    return tree_memory(args, slice_bytes(smaller(args.bytes(), args.chunk_bytes), args.host.size, args.element_bytes));
  }

  template <class Lane>
  static XYLEM_HD void run(Lane& lane, const Args& args) {
    const Group& host = args.host;
    const std::size_t part = args.chunk_bytes;
    for (std::size_t base = 0; base < args.bytes(); base += part) {
      const exec::View own = args.in(base, part);
      // Slices are whole cache lines where the chunk is long enough, so that no two ranks write one line.
      const std::size_t slice = slice_bytes(own.bytes, host.size, args.element_bytes);
      const auto range = [&](std::uint32_t member) { return clip(slice * member, slice, own.bytes); };
      const auto out = [&](std::uint32_t member) { return args.out(base + range(member).first, range(member).length); };

      lane.show(own);
      if (const Range mine = range(host.place); mine.length != 0) {
        fold_along_tree(lane, args.board(), {own.bytes, mine.first, {own.data + mine.first, mine.length}}, out(host.place),
                        args.scratch);
      } else {
        for (std::uint32_t member = 0; member < host.size; ++member) lane.fetch(member, own.bytes);
      }
      lane.finish(true);

      lane.show(out(host.place));
      for (std::uint32_t member = 0; member < host.size; ++member) {
        const exec::Slice there = out(member);
        if (member != host.place && there.bytes != 0) lane.copy(there, lane.fetch(member, there.bytes));
      }
      lane.finish(false);
    }
  }

 private:
  static XYLEM_HD std::size_t slice_bytes(std::size_t bytes, std::uint32_t members, std::size_t element_bytes) {
    const std::size_t line = divide_up(exec::kCacheLine, element_bytes) * element_bytes;
    return divide_up(divide_up(bytes, members), line) * line;
  }
};

}  // namespace xylem::coll

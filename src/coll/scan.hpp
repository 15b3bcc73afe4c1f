// Scans: rank r gets the sum over the ranks 0 ... r (scan) or 0 ... r - 1 (exscan), folded in the order of ranks, which is
// that of the communicator whatever the hosts. With P ranks and N bytes:
//   flat                1 hop inside a host, a rank writes N and reads r N
//   chain               P - 1 hops, N sent per rank, pipelined by chunks: for large vectors
//   recursive_doubling  log2 P steps, at most log2 P N sent per rank: for small ones. In step i a rank adds the window of 2^i
//                       ranks that ends 2^i before it (Hillis and Steele, "Data parallel algorithms", 1986)
//   gathered            the same with contributions in place of their sums, at most (P-1) N sent per rank: for very small
//                       ones, where what is summed has to be summed from the lowest rank on, as in the chain
// Latency as many hops.
#pragma once

#include "coll/flat.hpp"

namespace xylem::coll {

struct FlatScan {
  static constexpr auto collective = Collective::scan;
  static constexpr const char* name = "flat";
  static constexpr Traits traits = {.board = true, .one_host_only = true, .sums = SumOrder::canonical};

  static double cost(const Workload& work) { return fold_cost(work); }

  template <class Lane>
  static XYLEM_HD void run(Lane& lane, const Args& args) {
    for (std::size_t base = 0; base < args.bytes(); base += args.chunk_bytes) {
      const exec::View own = args.in(base, args.chunk_bytes);
      lane.show(own);
      fold_in_order(lane, args.board(), args.host.place + 1, {own.bytes, 0, own}, args.out(base, args.chunk_bytes));
      lane.finish(false);
    }
  }
};

struct FlatExscan {
  static constexpr auto collective = Collective::exscan;
  static constexpr const char* name = "flat";
  static constexpr Traits traits = FlatScan::traits;

  static double cost(const Workload& work) { return fold_cost(work); }

  template <class Lane>
  static XYLEM_HD void run(Lane& lane, const Args& args) {
    for (std::size_t base = 0; base < args.bytes(); base += args.chunk_bytes) {
      const exec::View own = args.in(base, args.chunk_bytes);
      lane.show(own);
      if (args.host.place != 0) {
        fold_in_order(lane, args.board(), args.host.place, {own.bytes, 0, own}, args.out(base, args.chunk_bytes));
      }
      lane.finish(false);
    }
  }
};

struct ChainScan {
  static constexpr auto collective = Collective::scan;
  static constexpr const char* name = "chain";
  static constexpr Traits traits = {.channels = true, .sums = SumOrder::canonical};

  static double cost(const Workload& work) { return chain(work, work.copy_per_byte + work.reduce_per_byte); }

  template <class Lane>
  static XYLEM_HD void run(Lane& lane, const Args& args) {
    const exec::Peers next = args.rank + 1 < args.ranks ? exec::Peers(args.rank + 1) : exec::Peers();
    for (std::size_t base = 0; base < args.bytes(); base += args.chunk_bytes) {
      const exec::View own = args.in(base, args.chunk_bytes);
      const exec::Slice out = args.out(base, args.chunk_bytes);
      if (args.rank == 0) {
        lane.send(own, next);
        lane.keep(out, own);
      } else {
        lane.recv_reduce_copy_send(args.rank - 1, own, out, next, exec::Order::received_first);
      }
    }
  }
};

struct ChainExscan {
  static constexpr auto collective = Collective::exscan;
  static constexpr const char* name = "chain";
  static constexpr Traits traits = ChainScan::traits;

  static double cost(const Workload& work) { return ChainScan::cost(work); }

  template <class Lane>
  static XYLEM_HD void run(Lane& lane, const Args& args) {
    for (std::size_t base = 0; base < args.bytes(); base += args.chunk_bytes) {
      const exec::View own = args.in(base, args.chunk_bytes);
      const exec::Slice out = args.out(base, args.chunk_bytes);
      if (args.rank == 0) {
        lane.send(own, 1);
      } else if (args.rank + 1 < args.ranks) {
        lane.recv_copy_reduce_send(args.rank - 1, own, out, args.rank + 1);
      } else {
        lane.recv(args.rank - 1, out);
      }
    }
  }
};

// `sum` <- the sum over the ranks first ... own rank, each of which has its contribution in `sum`.
template <class Lane>
XYLEM_HD void doubling_scan(Lane& lane, const Args& args, std::uint32_t first, exec::Slice sum) {
  for (std::uint32_t distance = 1; distance < args.ranks - first; distance *= 2) {
    if (args.rank + distance < args.ranks) lane.send(sum, args.rank + distance);
    if (args.rank >= first + distance) {
      lane.recv_reduce_copy(args.rank - distance, sum, sum, exec::Order::received_first);
    }
  }
}

struct DoublingScan {
  static constexpr auto collective = Collective::scan;
  static constexpr const char* name = "recursive_doubling";
  static constexpr Traits traits = {.channels = true};

  static double cost(const Workload& work) {
    return work.doubling_steps([&](double) { return work.bytes; }, work.reduce_per_byte) + work.border();
  }

  template <class Lane>
  static XYLEM_HD void run(Lane& lane, const Args& args) {
    for (std::size_t base = 0; base < args.bytes(); base += args.chunk_bytes) {
      const exec::Slice out = args.out(base, args.chunk_bytes);
      lane.keep(out, args.in(base, args.chunk_bytes));
      doubling_scan(lane, args, 0, out);
    }
  }
};

// Every contribution moves on by one rank; then it is a scan over all ranks but the first.
struct DoublingExscan {
  static constexpr auto collective = Collective::exscan;
  static constexpr const char* name = "recursive_doubling";
  static constexpr Traits traits = DoublingScan::traits;

  static double cost(const Workload& work) {
    Workload rest = work;
    rest.ranks -= 1;
    return work.exchange(work.bytes, work.hosts == 1, work.copy_per_byte) + DoublingScan::cost(rest);
  }

  template <class Lane>
  static XYLEM_HD void run(Lane& lane, const Args& args) {
    for (std::size_t base = 0; base < args.bytes(); base += args.chunk_bytes) {
      const exec::Slice out = args.out(base, args.chunk_bytes);
      if (args.rank + 1 < args.ranks) lane.send(args.in(base, args.chunk_bytes), args.rank + 1);
      if (args.rank == 0) continue;
      lane.recv(args.rank - 1, out);
      doubling_scan(lane, args, 1, out);
    }
  }
};

// Block i of the scratch memory is the contribution of the rank i before this one. The result is the sum over the blocks
// from the last one down to `last`.
template <Collective kCollective>
struct GatheredPrefix {
  static constexpr auto collective = kCollective;
  static constexpr const char* name = "gathered";
  static constexpr Traits traits = {.channels = true, .part_per_rank = true, .sums = SumOrder::canonical};

  static double cost(const Workload& work) {
    const auto passed = [&](double distance) {
      return (distance < work.ranks - distance ? distance : work.ranks - distance) * work.bytes;
    };
    return work.doubling_steps(passed, work.copy_per_byte) + work.border() + work.ranks * work.bytes * work.reduce_per_byte;
  }
  static XYLEM_HD std::size_t scratch_bytes(const Args& args) { return args.ranks * args.chunk_part(args.ranks); }

  template <class Lane>
  static XYLEM_HD void run(Lane& lane, const Args& args) {
    const std::uint32_t last = kCollective == Collective::exscan ? 1 : 0;
    const std::size_t part = args.chunk_part(args.ranks);
    for (std::size_t base = 0; base < args.bytes(); base += part) {
      const exec::Slice out = args.out(base, part);
      const auto block = [&](std::uint32_t i) { return exec::Slice{args.scratch + i * part, out.bytes}; };
      lane.copy(block(0), args.in(base, part));
      gather(lane, args, block);
      if (kCollective == Collective::exscan && args.rank == 0) continue;
      exec::View left = block(args.rank);
      if (args.rank == last) lane.copy(out, left);
      for (std::uint32_t i = args.rank; i > last; --i) {
        lane.reduce(out, left, block(i - 1));
        left = out;
      }
    }
  }

 private:
  template <class Lane, class Block>
  static XYLEM_HD void gather(Lane& lane, const Args& args, Block block) {
    for (std::uint32_t distance = 1; distance < args.ranks; distance *= 2) {
      const auto known = [&](std::uint32_t rank) { return rank + 1 < distance ? rank + 1 : distance; };
      if (args.rank + distance < args.ranks) lane.send_blocks(args.rank + distance, known(args.rank), block);
      if (args.rank < distance) continue;
      const std::uint32_t from = args.rank - distance;
      lane.recv_blocks(from, known(from), [&](std::uint32_t i) { return block(distance + i); });
    }
  }
};

using GatheredScan = GatheredPrefix<Collective::scan>;
using GatheredExscan = GatheredPrefix<Collective::exscan>;

}  // namespace xylem::coll

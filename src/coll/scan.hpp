// Scans: rank r gets the sum over the ranks 0 ... r (scan) or 0 ... r - 1 (exscan), folded in the order of ranks, which is
// that of the communicator whatever the hosts. With P ranks and N bytes:
//   flat                1 hop inside a host, a rank writes N and reads r N
//   chain               P - 1 hops, N sent per rank, pipelined by chunks: for large vectors
//   recursive_doubling  log2 P steps, at most log2 P N sent per rank: for small ones. In step i a rank adds the window of 2^i
//                       ranks that ends 2^i before it (Hillis and Steele, "Data parallel algorithms", 1986)
#pragma once

#include "coll/flat.hpp"

namespace xylem::coll {

struct FlatScan {
  static constexpr auto collective = Collective::scan;
  static constexpr const char* name = "flat";
  static constexpr Traits traits = {.board = true, .one_host_only = true};

  static double cost(const Workload& work) { return fold_cost(work); }

  template <class Lane>
  static XYLEM_HD void run(Lane& lane, const Args& args) {
    for (std::size_t base = 0; base < args.bytes(); base += args.chunk_bytes) {
      const exec::View own = args.in(base, args.chunk_bytes);
      lane.show(own);
      fold_shown(lane, args.host, args.host.place + 1, own.bytes, 0, own, args.out(base, args.chunk_bytes));
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
        fold_shown(lane, args.host, args.host.place, own.bytes, 0, own, args.out(base, args.chunk_bytes));
      }
      lane.finish(false);
    }
  }
};

struct ChainScan {
  static constexpr auto collective = Collective::scan;
  static constexpr const char* name = "chain";
  static constexpr Traits traits = {.channels = true};

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
    return log2_up(work.ranks) *
           (work.rounds(1) * work.step().latency + work.bytes * (work.step().per_byte + work.reduce_per_byte));
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
    return DoublingScan::cost(work) + work.rounds(1) * work.step().latency + work.bytes * work.step().per_byte;
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

}  // namespace xylem::coll

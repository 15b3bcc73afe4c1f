// Recursive doubling: in step i a rank exchanges with the one whose number differs in bit i, and both then have what 2^(i+1)
// ranks had. With P ranks and N bytes:
//   allreduce   log2 P steps, log2 P N sent per rank. Where P is no power of two, the ranks above it fold their vectors into
//               others' before and get the result after (coll/cores.hpp): 2 steps more
//   allgather   log2 P steps, (P-1)/P N sent per rank; P is a power of two (coll/bruck.hpp takes any)
// Latency log2 P hops. For small messages. Sums are folded along the canonical tree. (Thakur,
// Rabenseifner, Gropp, "Optimization of collective communication operations in MPICH", 2005.)
#pragma once

#include "coll/args.hpp"
#include "coll/bruck.hpp"
#include "coll/collective.hpp"
#include "coll/cores.hpp"
#include "coll/traits.hpp"
#include "exec/lane.hpp"

namespace xylem::coll {

// Every member's `out` <- the sum of all members' `own`. One slot at most.
template <class Lane>
XYLEM_HD void doubling_sum(Lane& lane, const Cores& cores, exec::View own, exec::Slice out) {
  if (!cores.is_core()) {
    lane.send(own, cores.other());
    lane.recv(cores.other(), out);
    return;
  }
  if (cores.paired()) {
    lane.recv_reduce_copy(cores.other(), own, out, cores.pair_order());
    own = out;
  }
  for (std::uint32_t bit = 1; bit < cores.count(); bit *= 2) {
    lane.send(own, cores.partner(bit));
    lane.recv_reduce_copy(cores.partner(bit), own, out, cores.order(bit));
    own = out;
  }
  if (cores.paired()) lane.send(out, cores.other());
}

struct DoublingAllreduce {
  static constexpr auto collective = Collective::allreduce;
  static constexpr const char* name = "recursive_doubling";
  static constexpr Traits traits = {.channels = true, .sums = SumOrder::canonical};

  static double cost(const Workload& work) {
    return work.core_steps([&](double) { return work.bytes; }, work.reduce_per_byte) +
           work.pairs(work.bytes, work.reduce_per_byte);
  }

  template <class Lane>
  static XYLEM_HD void run(Lane& lane, const Args& args) {
    const Cores cores(args.all);
    const std::size_t part = args.chunk_bytes;
    for (std::size_t base = 0; base < args.bytes(); base += part) {
      doubling_sum(lane, cores, args.in(base, part), args.out(base, part));
    }
  }
};

struct DoublingAllgather {
  static constexpr auto collective = Collective::allgather;
  static constexpr const char* name = "recursive_doubling";
  static constexpr Traits traits = {.channels = true, .part_per_rank = true, .power_of_two = true};

  static double cost(const Workload& work) {
    const auto passed = [&](double distance) { return distance / work.ranks * work.bytes; };
    return work.core_steps(passed, work.copy_per_byte);
  }

  template <class Lane>
  static XYLEM_HD void run(Lane& lane, const Args& args) {
    const Group& all = args.all;
    keep_own_block(lane, args);
    for (std::uint32_t bit = 1; bit < all.size; bit *= 2) {
      const std::uint32_t partner = all.rank(all.place ^ bit), first = all.place & (0 - bit);
      pass_blocks(lane, args, bit, partner, first, partner, first ^ bit);
    }
  }
};

}  // namespace xylem::coll

// Binomial reduce: the canonical tree (coll/cores.hpp) with the sums of every subtree at the core that is nearest to the root
// by its number. A core folds what comes from the ones that differ in bit 1, 2, 4, ... until it is its turn to send. With P
// ranks and N bytes: log2 P hops, N sent per rank; the root receives log2 P N; latency log2 P hops. Chunks follow each other.
// For small vectors. (Thakur, Rabenseifner, Gropp, "Optimization of collective communication operations in MPICH", 2005.)
#pragma once

#include "coll/args.hpp"
#include "coll/collective.hpp"
#include "coll/cores.hpp"
#include "coll/knomial.hpp"
#include "coll/traits.hpp"
#include "exec/lane.hpp"

namespace xylem::coll {

struct BinomialReduce {
  static constexpr auto collective = Collective::reduce;
  static constexpr const char* name = "binomial";
  static constexpr Traits traits = {.channels = true, .sums = SumOrder::canonical};

  static double cost(const Workload& work) {
    return knomial_stream(work, 2, work.reduce_per_byte + work.beyond(work.channel), work.reduce_per_byte);
  }

  template <class Lane>
  static XYLEM_HD void run(Lane& lane, const Args& args) {
    const std::uint32_t root = args.all.place_of(args.root);
    const Cores cores(args.all, root);
    // The bit in which the own number differs from the root's, and the next core to it does not.
    const std::uint32_t apart = cores.number() ^ cores.number_at(root), last = apart & (0 - apart);
    for (std::size_t base = 0; base < args.bytes(); base += args.chunk_bytes) {
      const exec::View own = args.in(base, args.chunk_bytes);
      if (args.rank == args.root) {
        fold(lane, cores, cores.count(), own, args.out(base, args.chunk_bytes));
      } else if (!cores.is_core()) {
        lane.send(own, cores.other());
      } else {
        // The sum is made in the outgoing slot itself.
        lane.send_with(cores.partner(last), own.bytes, [&](exec::Slice slot) { fold(lane, cores, last, own, slot); });
      }
    }
  }

 private:
  // sum <- what the pair and the cores that differ in a bit below `end` send, and the own contribution.
  template <class Lane>
  XYLEM_HD_CALLED static void fold(Lane& lane, const Cores& cores, std::uint32_t end, exec::View own, exec::Slice sum) {
    exec::View folded = own;
    if (cores.paired()) {
      lane.recv_reduce_copy(cores.other(), folded, sum, cores.pair_order());
      folded = sum;
    }
    for (std::uint32_t bit = 1; bit < end; bit *= 2) {
      lane.recv_reduce_copy(cores.partner(bit), folded, sum, cores.order(bit));
      folded = sum;
    }
    lane.keep(sum, folded);
  }
};

}  // namespace xylem::coll

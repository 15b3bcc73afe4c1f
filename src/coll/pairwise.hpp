// Pairwise exchange alltoall: in every step each rank exchanges blocks with one other and with nobody else, so every link has
// one stream in each direction. With P ranks and N bytes in the blocks of one rank: P - 1 steps, (P-1)/P N sent per rank,
// latency P - 1 hops. For large blocks, which may differ. (Thakur, Rabenseifner, Gropp, "Optimization of collective
// communication operations in MPICH", 2005.)
#pragma once

#include "coll/args.hpp"
#include "coll/collective.hpp"
#include "coll/traits.hpp"

namespace xylem::coll {

struct PairwiseAlltoall {
  static constexpr auto collective = Collective::alltoall;
  static constexpr const char* name = "pairwise";
  static constexpr Traits traits = {.channels = true};

  static double cost(const Workload& work) {
    const double block = work.bytes / work.ranks;
    return (work.ranks_per_host - 1) * work.exchange(block, true, 0) +
           (work.ranks - work.ranks_per_host) * work.exchange(block, false, work.copy_per_byte);
  }

  // In step s the ranks i and j with i + j = s (mod P) are partners. Both send before they receive, so what comes may be put
  // where what goes was.
  template <class Lane>
  static XYLEM_HD void run(Lane& lane, const Args& args) {
    const std::size_t chunk = args.chunk_bytes;
    for (std::uint32_t step = 0; step < args.ranks; ++step) {
      const std::uint32_t partner = (step + args.ranks - args.rank) % args.ranks;
      const std::size_t sent = args.sent.at(partner).length, received = args.received.at(partner).length;
      for (std::size_t base = 0; base < sent || base < received; base += chunk) {
        const exec::View own = args.in_block(partner, base, chunk);
        const exec::Slice out = args.out_block(partner, base, chunk);
        if (partner == args.rank) {
          lane.keep(out, own);
        } else {
          lane.send(own, partner);
          lane.recv(partner, out);
        }
      }
    }
  }
};

}  // namespace xylem::coll

// Pairwise exchange alltoall: in every step each rank exchanges blocks with one other and with nobody else, so every link has
// one stream in each direction. With P ranks and N bytes in the blocks of one rank: P - 1 steps, (P-1)/P N sent per rank,
// latency P - 1 hops. For large blocks, which may differ. (Thakur, Rabenseifner, Gropp, "Optimization of collective
// communication operations in MPICH", 2005.) Long blocks are lent, a window at a time.
#pragma once

#include "coll/args.hpp"
#include "coll/collective.hpp"
#include "coll/loans.hpp"
#include "coll/traits.hpp"

namespace xylem::coll {

struct PairwiseAlltoall {
  static constexpr auto collective = Collective::alltoall;
  static constexpr const char* name = "pairwise";
  static constexpr Traits traits = {.channels = true, .lends = true};

  static double cost(const Workload& work) {
    const double block = work.bytes / work.ranks;
    if (block >= static_cast<double>(work.loans.exchanged))
      return (work.ranks - 1) * work.loan(block) + block * work.copy_per_byte;
    return (work.ranks_per_host - 1) * work.exchange(block, true, 0) +
           (work.ranks - work.ranks_per_host) * work.exchange(block, false, work.copy_per_byte);
  }

  // Where a block comes to lie over the one that is lent, a copy of a window is lent in its place.
  static XYLEM_HD std::size_t scratch_bytes(const Args& args) {
    if (args.loans.exchanged == Loans::kNone || args.input != args.output) return 0;
    return smaller(args.sent.longest(args.ranks), window(args));
  }

  // In step s the ranks i and j with i + j = s (mod P) are partners.
  template <class Lane>
  static XYLEM_HD void run(Lane& lane, const Args& args) {
    for (std::uint32_t step = 0; step < args.ranks; ++step) {
      const std::uint32_t partner = (step + args.ranks - args.rank) % args.ranks;
      const std::size_t sent = args.sent.at(partner).length, received = args.received.at(partner).length;
      for (std::size_t base = 0; base < sent || base < received; base += window(args)) {
        const exec::View own = args.in_block(partner, base, window(args));
        const exec::Slice out = args.out_block(partner, base, window(args));
        if (partner == args.rank) {
          lane.keep(out, own);
        } else {
          exchange(lane, args, partner, own, out, lends_exchanged<Lane>(args, sent), lends_exchanged<Lane>(args, received));
        }
      }
    }
  }

 private:
  // A block is lent in parts of so many bytes.
  static XYLEM_HD std::size_t window(const Args& args) { return 64 * args.chunk_bytes; }

  template <class Lane>
  static XYLEM_HD void exchange(Lane& lane, const Args& args, std::uint32_t partner, exec::View own, exec::Slice out,
                                bool lends, bool borrows) {
    if (lends && own.data == out.data) {
      lane.copy({args.scratch, own.bytes}, own);
      own.data = args.scratch;
    }
    if (lends) lane.lend(own, partner);
    const bool receives = !(borrows && lane.borrow(partner, out));
    const bool sends = !(lends && lane.settle(own, partner));
    // Both send before they receive, so what comes may be put where what goes was.
    for (std::size_t base = 0; base < own.bytes || base < out.bytes; base += args.chunk_bytes) {
      if (sends) lane.send(part_of(own, base, args.chunk_bytes), partner);
      if (receives) lane.recv(partner, part_of(out, base, args.chunk_bytes));
    }
  }
};

}  // namespace xylem::coll

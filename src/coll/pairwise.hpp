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

  // In step s the ranks i and j with i + j = s (mod P) are partners. A rank that works in place keeps to that order; another
  // one lends all partners what it has for them, then takes, and waits last.
  template <class Lane>
  static XYLEM_HD void run(Lane& lane, const Args& args) {
    const std::size_t sent = args.sent.longest(args.ranks), received = args.received.longest(args.ranks);
    const bool in_step = args.input == args.output || !lends_exchanged<Lane>(args, sent > received ? sent : received);
    for (std::size_t base = 0; base < sent || base < received; base += window(args)) {
      const auto for_partners = [&](auto use) {
        for (std::uint32_t step = 0; step < args.ranks; ++step) use(Pair<Lane>(lane, args, step, base));
      };
      if (in_step) {
        for_partners([](const Pair<Lane>& pair) {
          pair.lend();
          pair.take();
          pair.settle();
        });
      } else {
        for_partners([](const Pair<Lane>& pair) { pair.lend(); });
        for_partners([](const Pair<Lane>& pair) { pair.take(); });
        for_partners([](const Pair<Lane>& pair) { pair.settle(); });
      }
    }
  }

 private:
  // A block is lent in parts of so many bytes.
  static XYLEM_HD std::size_t window(const Args& args) { return 64 * args.chunk_bytes; }

  // A window of what this rank and its partner in a step have for each other.
  template <class Lane>
  class Pair {
   public:
    XYLEM_HD Pair(Lane& lane, const Args& args, std::uint32_t step, std::size_t base)
        : lane_(lane),
          args_(args),
          partner_((step + args.ranks - args.rank) % args.ranks),
          own_(args.in_block(partner_, base, window(args))),
          out_(args.out_block(partner_, base, window(args))),
          lends_(partner_ != args.rank && lends_exchanged<Lane>(args, args.sent.at(partner_).length)),
          borrows_(partner_ != args.rank && lends_exchanged<Lane>(args, args.received.at(partner_).length)),
          copied_(lends_ && own_.data == out_.data) {}

    XYLEM_HD void lend() const {
      if (copied_) lane_.copy({args_.scratch, own_.bytes}, own_);
      if (lends_) lane_.lend(lent(), partner_);
    }
    XYLEM_HD void take() const {
      if (partner_ == args_.rank) return lane_.keep(out_, own_);
      if (borrows_) lane_.borrow(partner_, out_);
      through_slots(!lends_, !borrows_);
    }
    // What could not be read comes through slots after all.
    XYLEM_HD void settle() const {
      const bool sends = lends_ && !lane_.settle(lent(), partner_);
      through_slots(sends, borrows_ && lane_.refused(partner_, out_));
    }

   private:
    XYLEM_HD exec::View lent() const { return copied_ ? exec::View(args_.scratch, own_.bytes) : own_; }

    // Both send before they receive, so what comes may be put where what goes was.
    XYLEM_HD void through_slots(bool sends, bool receives) const {
      const exec::View own = sends ? lent() : exec::View();
      const exec::Slice out = receives ? out_ : exec::Slice();
      for (std::size_t base = 0; base < own.bytes || base < out.bytes; base += args_.chunk_bytes) {
        lane_.send(part_of(own, base, args_.chunk_bytes), partner_);
        lane_.recv(partner_, part_of(out, base, args_.chunk_bytes));
      }
    }

    Lane& lane_;
    const Args& args_;
    std::uint32_t partner_;
    exec::View own_;
    exec::Slice out_;
    bool lends_, borrows_, copied_;
  };
};

}  // namespace xylem::coll

// Rabenseifner's algorithms: the vector is cut into a part for each rank; recursive halving gives each the sum of its part,
// and then the parts are gathered, to all by recursive doubling or to the root along a binomial tree. With P ranks and N
// bytes:
//   allreduce   2 log2 P steps, 2 (P-1)/P N sent per rank
//   reduce      2 log2 P steps, at most 3/2 (P-1)/P N sent per rank
// Latency 2 log2 P hops. Where P is no power of two, the ranks above it fold their vectors into others' before and get the
// result after (coll/cores.hpp): 2 steps and 2 N more. For large messages where a hop is dear. Neighbours exchange most,
// those far away least; every part is folded along the canonical tree, as in recursive doubling. (Rabenseifner,
// "Optimization of collective reduction operations", 2004.)
#pragma once

#include "coll/args.hpp"
#include "coll/collective.hpp"
#include "coll/cores.hpp"
#include "coll/traits.hpp"
#include "exec/lane.hpp"

namespace xylem::coll {

// A round: as many parts of the vector as there are cores, of a chunk each at most. `Sum` says where sums are made:
// sum(first, most) -> Slice, with positions in the vector.
template <class Lane, class Sum>
class HalvingRound {
 public:
  XYLEM_HD HalvingRound(Lane& lane, const Args& args, const Cores& cores, std::size_t base, Sum sum)
      : lane_(lane),
        args_(args),
        cores_(cores),
        sum_(sum),
        base_(base),
        part_(smaller(args.chunk_bytes, even_part(args.bytes() - base, cores.count(), args.element_bytes))),
        held_{0, cores.count()} {}

  XYLEM_HD std::size_t bytes() const { return part_ * cores_.count(); }

  // The cores' vectors <- those of their pairs.
  XYLEM_HD void fold_pairs() {
    if (!cores_.paired()) return;
    for_each_chunk(held_, [&](std::size_t at, std::size_t most) {
      const exec::View own = args_.in(at, most);
      if (cores_.is_core()) {
        lane_.recv_reduce_copy(cores_.other(), own, sum_(at, most), cores_.pair_order());
      } else {
        lane_.send(own, cores_.other());
      }
    });
  }

  // The part that is left to each core <- its sum over all cores.
  XYLEM_HD void halve() {
    bool summed = cores_.paired();  // where what we hold lies
    for (std::uint32_t bit = 1; bit < cores_.count(); bit *= 2) {
      const Parts lower{held_.first, held_.count / 2}, upper{held_.first + lower.count, lower.count};
      const bool keeps_lower = (cores_.number() & bit) == 0;
      const std::size_t to_other = (keeps_lower ? upper.first : lower.first) * part_;
      held_ = keeps_lower ? lower : upper;
      for_each_chunk(held_, [&](std::size_t at, std::size_t most) {
        const std::size_t there = at - held_.first * part_ + to_other;
        lane_.send(summed ? exec::View(sum_(there, most)) : args_.in(there, most), cores_.partner(bit));
        const exec::Slice sum = sum_(at, most);
        lane_.recv_reduce_copy(cores_.partner(bit), summed ? exec::View(sum) : args_.in(at, most), sum, cores_.order(bit));
      });
      summed = true;
    }
  }

  // All cores <- all sums.
  XYLEM_HD void gather_to_all() {
    for (std::uint32_t bit = cores_.count() / 2; bit != 0; bit /= 2) {
      const std::size_t from_other = other_half(bit).first * part_;
      for_each_chunk(held_, [&](std::size_t at, std::size_t most) {
        lane_.send(sum_(at, most), cores_.partner(bit));
        lane_.recv(cores_.partner(bit), sum_(at - held_.first * part_ + from_other, most));
      });
      hold_both(bit);
    }
  }

  // The core number `root` <- all sums.
  XYLEM_HD void gather_to(std::uint32_t root) {
    for (std::uint32_t bit = cores_.count() / 2; bit != 0; bit /= 2) {
      if (((cores_.number() ^ root) & bit) != 0) {
        for_each_chunk(held_, [&](std::size_t at, std::size_t most) { lane_.send(sum_(at, most), cores_.partner(bit)); });
        return;
      }
      for_each_chunk(other_half(bit),
                     [&](std::size_t at, std::size_t most) { lane_.recv(cores_.partner(bit), sum_(at, most)); });
      hold_both(bit);
    }
  }

  // The pairs <- what their cores have.
  XYLEM_HD void return_to_pairs() {
    if (!cores_.paired()) return;
    for_each_chunk({0, cores_.count()}, [&](std::size_t at, std::size_t most) {
      if (cores_.is_core()) {
        lane_.send(sum_(at, most), cores_.other());
      } else {
        lane_.recv(cores_.other(), sum_(at, most));
      }
    });
  }

 private:
  struct Parts {
    std::uint32_t first, count;
  };

  // What the partner holds when both have come to this bit.
  XYLEM_HD Parts other_half(std::uint32_t bit) const {
    return {(cores_.number() & bit) == 0 ? held_.first + held_.count : held_.first - held_.count, held_.count};
  }
  XYLEM_HD void hold_both(std::uint32_t bit) {
    if ((cores_.number() & bit) != 0) held_.first -= held_.count;
    held_.count *= 2;
  }

  template <class Move>
  XYLEM_HD void for_each_chunk(Parts parts, Move move) {
    const std::size_t end = base_ + (parts.first + parts.count) * part_;
    for (std::size_t at = base_ + parts.first * part_; at < end; at += args_.chunk_bytes) {
      move(at, smaller(args_.chunk_bytes, end - at));
    }
  }

  Lane& lane_;
  const Args& args_;
  const Cores& cores_;
  Sum sum_;
  std::size_t base_, part_;
  Parts held_;  // what this core has to do with
};

// Every member's output <- the sum of all members' inputs.
template <class Lane>
XYLEM_HD void rabenseifner_sum(Lane& lane, const Args& args, const Group& group) {
  const Cores cores(group);
  const auto sum = [&](std::size_t first, std::size_t most) { return args.out(first, most); };
  for (std::size_t base = 0; base < args.bytes();) {
    HalvingRound round(lane, args, cores, base, sum);
    round.fold_pairs();
    if (cores.is_core()) {
      round.halve();
      round.gather_to_all();
    }
    round.return_to_pairs();
    base += round.bytes();
  }
}

struct RabenseifnerAllreduce {
  static constexpr auto collective = Collective::allreduce;
  static constexpr const char* name = "rabenseifner";
  static constexpr Traits traits = {.channels = true, .sums = SumOrder::canonical};

  static double cost(const Workload& work) {
    const auto halved = [&](double distance) { return work.bytes / (2 * distance); };
    return work.core_steps(halved, work.reduce_per_byte) + work.core_steps(halved, work.copy_per_byte) +
           work.pairs(work.bytes, work.reduce_per_byte);
  }

  template <class Lane>
  static XYLEM_HD void run(Lane& lane, const Args& args) {
    rabenseifner_sum(lane, args, args.all);
  }
};

struct RabenseifnerReduce {
  static constexpr auto collective = Collective::reduce;
  static constexpr const char* name = "rabenseifner";
  static constexpr Traits traits = {.channels = true, .sums = SumOrder::canonical};

  static double cost(const Workload& work) {
    const auto halved = [&](double distance) { return work.bytes / (2 * distance); };
    return work.core_steps(halved, work.reduce_per_byte) + work.core_steps(halved, work.copy_per_byte) +
           work.pairs(work.bytes / 2, work.reduce_per_byte);
  }
  // A round.
  static XYLEM_HD std::size_t scratch_bytes(const Args& args) {
    return smaller(args.bytes(), args.chunk_bytes * power_of_two_below(args.ranks));
  }

  template <class Lane>
  static XYLEM_HD void run(Lane& lane, const Args& args) {
    const std::uint32_t root = args.all.place_of(args.root);
    const Cores cores(args.all, root);
    for (std::size_t base = 0; base < args.bytes();) {
      // Only the root has a receive buffer.
      const auto sum = [&](std::size_t first, std::size_t most) {
        return args.rank == args.root ? args.out(first, most)
                                      : exec::Slice{args.scratch + (first - base), args.in(first, most).bytes};
      };
      HalvingRound round(lane, args, cores, base, sum);
      round.fold_pairs();
      if (cores.is_core()) {
        round.halve();
        round.gather_to(cores.number_at(root));
      }
      base += round.bytes();
    }
  }
};

}  // namespace xylem::coll

// Dissemination barrier: in step i every rank tells the one 2^i after it that it has come, and hears from the one 2^i before
// it. Whoever has heard in all steps has heard of all ranks. With P ranks: log2 P steps, rounded up, of an empty message
// each; latency log2 P hops. Any number of ranks, no root. (Hensgen, Finkel, Manber, "Two algorithms for barrier
// synchronization", 1988.)
#pragma once

#include "coll/args.hpp"
#include "coll/collective.hpp"
#include "coll/traits.hpp"
#include "exec/lane.hpp"

namespace xylem::coll {

struct DisseminationBarrier {
  static constexpr auto collective = Collective::barrier;
  static constexpr const char* name = "dissemination";
  static constexpr Traits traits = {.channels = true};

  static double cost(const Workload& work) {
    return work.doubling_steps([](double) { return 0; }, 0) + work.border();
  }
  static XYLEM_HD std::size_t scratch_bytes(const Args&) { return 1; }

  // Messages of no bytes are none: a byte goes round that nobody looks at.
  template <class Lane>
  static XYLEM_HD void run(Lane& lane, const Args& args) {
    const exec::Slice token{args.scratch, 1};
    const Group& all = args.all;
    for (std::uint32_t distance = 1; distance < all.size; distance *= 2) {
      lane.send(token, all.rank((all.place + distance) % all.size));
      lane.recv(all.rank((all.place + all.size - distance) % all.size), token);
    }
  }
};

}  // namespace xylem::coll

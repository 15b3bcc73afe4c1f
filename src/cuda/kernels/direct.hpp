// The algorithms for a communicator whose ranks share one GPU: no channels, each block reads inputs and writes outputs of all
// ranks for its part of the call. Resident r is rank r. With P ranks and N bytes a GPU reads P N and writes up to P N, at the
// speed of its memory.
#pragma once

#include "coll/collective.hpp"
#include "cuda/kernels/residents.hpp"

namespace xylem::cuda {

// allreduce, reduce: folded into args.output. bcast: args.output is the root's buffer.
template <coll::Collective kCollective>
struct DirectVector {
  static constexpr auto collective = kCollective;
  static constexpr const char* name = "direct";

  template <class Team>
  static XYLEM_HD void run(Residents<Team>& residents, const KernelCall& call, const coll::Args& part) {
    const coll::Range range = part.sent.at(0);
    for_each_piece(range.length, [&](std::size_t at, std::size_t bytes) {
      const std::size_t skip = range.first + at;
      if (call.folded != nullptr) residents.fold(call.folded_first, call.folded + skip, skip, bytes);
      residents.spread(skip, bytes);
    });
  }
};

struct DirectAllgather {
  static constexpr auto collective = coll::Collective::allgather;
  static constexpr const char* name = "direct";

  template <class Team>
  static XYLEM_HD void run(Residents<Team>& residents, const KernelCall&, const coll::Args& part) {
    for (std::uint32_t from = 0; from < residents.count(); ++from) {
      const coll::Range own = part.sent.at(from), there = part.received.at(from);
      for_each_piece(own.length, [&](std::size_t at, std::size_t bytes) {
        for (std::uint32_t to = 0; to < residents.count(); ++to) {
          residents.copy(residents.at(to).output + there.first + at, residents.at(from).input + own.first + at, bytes);
        }
      });
    }
  }
};

// Block by block from the first: in place, a result may lie over the same part of block 0 of that rank's input, which has
// been folded by then, or over the very block that it is the result of.
struct DirectReduceScatterBlock {
  static constexpr auto collective = coll::Collective::reduce_scatter_block;
  static constexpr const char* name = "direct";

  template <class Team>
  static XYLEM_HD void run(Residents<Team>& residents, const KernelCall&, const coll::Args& part) {
    for (std::uint32_t to = 0; to < residents.count(); ++to) {
      const coll::Range there = part.sent.at(to), own = part.received.at(to);
      for_each_piece(there.length, [&](std::size_t at, std::size_t bytes) {
        residents.fold(to, residents.at(to).output + own.first + at, there.first + at, bytes);
      });
    }
  }
};

}  // namespace xylem::cuda

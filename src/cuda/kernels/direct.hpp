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

struct DirectGather {
  static constexpr auto collective = coll::Collective::gather;
  static constexpr const char* name = "direct";

  template <class Team>
  static XYLEM_HD void run(Residents<Team>& residents, const KernelCall& call, const coll::Args& part) {
    std::byte* const output = residents.at(call.args.root).output;
    for (std::uint32_t from = 0; from < residents.count(); ++from) {
      const coll::Range own = part.sent.at(from), there = part.received.at(from);
      for_each_piece(own.length, [&](std::size_t at, std::size_t bytes) {
        residents.copy(output + there.first + at, residents.at(from).input + own.first + at, bytes);
      });
    }
  }
};

struct DirectScatter {
  static constexpr auto collective = coll::Collective::scatter;
  static constexpr const char* name = "direct";

  template <class Team>
  static XYLEM_HD void run(Residents<Team>& residents, const KernelCall& call, const coll::Args& part) {
    const std::byte* const input = residents.at(call.args.root).input;
    for (std::uint32_t to = 0; to < residents.count(); ++to) {
      const coll::Range there = part.sent.at(to), own = part.received.at(to);
      for_each_piece(own.length, [&](std::size_t at, std::size_t bytes) {
        residents.copy(residents.at(to).output + own.first + at, input + there.first + at, bytes);
      });
    }
  }
};

// Two ranks' blocks for each other are exchanged, so each rank may be in place or not.
struct DirectAlltoall {
  static constexpr auto collective = coll::Collective::alltoall;
  static constexpr const char* name = "direct";

  template <class Team>
  static XYLEM_HD void run(Residents<Team>& residents, const KernelCall&, const coll::Args& part) {
    for (std::uint32_t i = 0; i < residents.count(); ++i) {
      const Resident& a = residents.at(i);
      const coll::Range of_a = part.sent.at(i);
      for_each_piece(of_a.length, [&](std::size_t at, std::size_t bytes) {
        residents.copy(a.output + of_a.first + at, a.input + of_a.first + at, bytes);
      });
      for (std::uint32_t j = i + 1; j < residents.count(); ++j) {
        const Resident& b = residents.at(j);
        const coll::Range of_b = part.sent.at(j);
        for_each_piece(of_a.length, [&](std::size_t at, std::size_t bytes) {
          residents.exchange(a.output + of_b.first + at, a.input + of_b.first + at, b.output + of_a.first + at,
                             b.input + of_a.first + at, bytes);
        });
      }
    }
  }
};

struct DirectScan {
  static constexpr auto collective = coll::Collective::scan;
  static constexpr const char* name = "direct";

  template <class Team>
  static XYLEM_HD void run(Residents<Team>& residents, const KernelCall&, const coll::Args& part) {
    const coll::Range range = part.sent.at(0);
    for_each_piece(range.length, [&](std::size_t at, std::size_t bytes) {
      const std::size_t skip = range.first + at;
      residents.copy(residents.at(0).output + skip, residents.at(0).input + skip, bytes);
      for (std::uint32_t i = 1; i < residents.count(); ++i) {
        residents.reduce(residents.at(i).output + skip, residents.at(i - 1).output + skip, residents.at(i).input + skip,
                         bytes);
      }
    });
  }
};

// From the last rank to the first: in place, a result lies over an input that no rank before it needs.
struct DirectExscan {
  static constexpr auto collective = coll::Collective::exscan;
  static constexpr const char* name = "direct";

  template <class Team>
  static XYLEM_HD void run(Residents<Team>& residents, const KernelCall&, const coll::Args& part) {
    const coll::Range range = part.sent.at(0);
    for_each_piece(range.length, [&](std::size_t at, std::size_t bytes) {
      const std::size_t skip = range.first + at;
      for (std::uint32_t to = residents.count() - 1; to > 0; --to) {
        std::byte* const out = residents.at(to).output + skip;
        const std::byte* left = residents.at(0).input + skip;
        for (std::uint32_t from = 1; from < to; ++from) {
          residents.reduce(out, left, residents.at(from).input + skip, bytes);
          left = out;
        }
        if (to == 1) residents.copy(out, left, bytes);
      }
    });
  }
};

}  // namespace xylem::cuda

// What the MPI would refuse of the arguments of a reduction (collectives/reduce.hpp), whatever its operation is.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <type_traits>

#include "backend/collectives/array.hpp"
#include "backend/collectives/blocks.hpp"
#include "backend/collectives/peers.hpp"
#include "backend/collectives/xylem_call.hpp"
#include "backend/statistics.hpp"

namespace xylem::preload {

template <class Arguments>
inline constexpr bool kHasRecvcounts = requires(Arguments a) {
  a.recvcounts;
};

// The lengths of blocks, for calls that go on when the program may have freed its own.
template <class Arguments>
class KeptCounts {
 public:
  void keep(Arguments& arguments, const Peers& peers) {
    if constexpr (kHasRecvcounts<Arguments>) {
      counts_ = Array(arguments.recvcounts);
      counts_.keep(peers.size);
      arguments.recvcounts = counts_.data();
    }
  }

 private:
  struct Nothing {};
  [[no_unique_address]] std::conditional_t<kHasRecvcounts<Arguments>, Array<typename Arguments::Count>, Nothing> counts_;
};

template <class Arguments>
bool has_good_counts(const Arguments& arguments, const Peers& peers) {
  if constexpr (kHasRecvcounts<Arguments>)
    return arguments.recvcounts != nullptr &&
           std::all_of(arguments.recvcounts, arguments.recvcounts + peers.size, [](auto count) { return count >= 0; });
  else
    return arguments.elements(peers) >= 0;
}

// `bottom`: a buffer at null may be MPI_BOTTOM.
inline bool is_wrong_buffer(const EvenBlocks& blocks, bool bottom) {
  if (blocks.size() == 0 || blocks.count(0) <= 0) return false;
  return (blocks.buffer() == nullptr && !bottom) || blocks.buffer() == MPI_IN_PLACE;
}

template <class Arguments>
bool has_wrong_buffers(const Arguments& arguments, const Peers& peers, bool bottom) {
  const EvenBlocks in = arguments.sent(peers), out = arguments.received(peers);
  if (is_wrong_buffer(in, bottom) || is_wrong_buffer(out, bottom)) return true;
  // Rank 0 of an exscan gets nothing, but is refused.
  const bool compared = in.size() > 0 && (out.size() > 0 || Arguments::kCollective == Collective::exscan);
  return compared && refuses_aliases(Arguments::kCollective, in.count(0)) && in.buffer() == arguments.recvbuf;
}

template <class Arguments>
bool is_wrong(const Arguments& arguments, const Peers& peers, bool bottom) {
  return !has_root(arguments, peers) || !has_good_counts(arguments, peers) || has_wrong_buffers(arguments, peers, bottom);
}

}  // namespace xylem::preload

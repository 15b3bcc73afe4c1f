// The one list of algorithms. A new one is a header of its own and a name here: the CPU and GPU kernels, the plan, the tests
// and the tools find it in this list.
#pragma once

#include <array>

#include "coll/double_binary_tree.hpp"
#include "coll/flat.hpp"
#include "coll/hierarchical.hpp"
#include "coll/ring.hpp"
#include "coll/split_tree.hpp"
#include "coll/two_phase.hpp"

namespace xylem::coll {

template <class... Algorithms>
struct AlgorithmList {
  // What `make` makes of each algorithm's type, in the order of the list: make.template operator()<Algorithm>().
  template <class Make>
  static constexpr auto map(Make make) {
    return std::array{make.template operator()<Algorithms>()...};
  }
};

using Algorithms =
    AlgorithmList<FlatAllreduce, TwoPhaseAllreduce, HierarchicalAllreduce, DoubleTreeAllreduce, SplitTreeAllreduce,
                  RingAllreduce,                                                 //
                  FlatReduce, HierarchicalReduce, DoubleTreeReduce, RingReduce,  //
                  FlatBcast, HierarchicalBcast, DoubleTreeBcast, RingBcast,      //
                  FlatAllgather, RingAllgather,                                  //
                  FlatReduceScatter, RingReduceScatter,                          //
                  FlatBarrier, HierarchicalBarrier>;

// The memory that an algorithm needs on each rank beside the buffers of the call. Set all of `args` but scratch before.
template <class Algorithm>
XYLEM_HD std::size_t scratch_bytes(const Args& args) {
  if constexpr (requires { Algorithm::scratch_bytes(args); }) {
    return Algorithm::scratch_bytes(args);
  } else {
    return 0;
  }
}

}  // namespace xylem::coll

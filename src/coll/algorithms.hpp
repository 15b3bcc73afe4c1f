// The one list of algorithms. A new one is a header of its own and a name here: the CPU and GPU kernels, the plan, the tests
// and the tools find it in this list.
#pragma once

#include <array>

#include "coll/binomial_reduce.hpp"
#include "coll/bruck.hpp"
#include "coll/dissemination.hpp"
#include "coll/double_binary_tree.hpp"
#include "coll/flat.hpp"
#include "coll/flat_blocks.hpp"
#include "coll/hierarchical.hpp"
#include "coll/host_trees.hpp"
#include "coll/knomial.hpp"
#include "coll/linear.hpp"
#include "coll/pairwise.hpp"
#include "coll/pat.hpp"
#include "coll/rabenseifner.hpp"
#include "coll/rail.hpp"
#include "coll/recursive_doubling.hpp"
#include "coll/recursive_halving.hpp"
#include "coll/ring.hpp"
#include "coll/scan.hpp"
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

// The same text for another form of its collective: with blocks that differ.
template <Collective form, class Algorithm>
struct As : Algorithm {
  static constexpr auto collective = form;
};

// clang-format off
using Algorithms = AlgorithmList<
    FlatAllreduce, TwoPhaseAllreduce, HierarchicalAllreduce, DoubleTreeAllreduce, SplitTreeAllreduce, RingAllreduce,
    DoublingAllreduce, RabenseifnerAllreduce, RailAllreduce, BalancedTreeAllreduce, SplitHostTreeAllreduce,
    FlatReduce, HierarchicalReduce, DoubleTreeReduce, RingReduce, RabenseifnerReduce, BinomialReduce,
    BalancedTreeReduce, SplitHostTreeReduce,
    FlatBcast, HierarchicalBcast, DoubleTreeBcast, RingBcast, KnomialBcast<2>, KnomialBcast<4>, KnomialBcast<8>,
    BalancedTreeBcast, SplitHostTreeBcast,
    FlatAllgather, RingAllgather, DoublingAllgather, BruckAllgather, PatAllgather, RailAllgather,
    As<Collective::allgatherv, FlatAllgather>, As<Collective::allgatherv, RingAllgather>,
    As<Collective::allgatherv, DoublingAllgather>, As<Collective::allgatherv, BruckAllgather>,
    As<Collective::allgatherv, PatAllgather>, As<Collective::allgatherv, RailAllgather>,
    As<Collective::reduce_scatter, FlatReduceScatter>, As<Collective::reduce_scatter, RingReduceScatter>,
    As<Collective::reduce_scatter, PatReduceScatter>, As<Collective::reduce_scatter, RailReduceScatter>,
    As<Collective::reduce_scatter, HalvingReduceScatter>,
    FlatReduceScatter, RingReduceScatter, PatReduceScatter, RailReduceScatter, HalvingReduceScatter,
    FlatAlltoall, LinearAlltoall, PairwiseAlltoall, BruckAlltoall,
    As<Collective::alltoallv, LinearAlltoall>, As<Collective::alltoallv, PairwiseAlltoall>,
    As<Collective::alltoallw, LinearAlltoall>, As<Collective::alltoallw, PairwiseAlltoall>,
    FlatGather, LinearGather, KnomialGather<2>, KnomialGather<4>, KnomialGather<8>,
    As<Collective::gatherv, LinearGather>,
    FlatScatter, LinearScatter, KnomialScatter<2>, KnomialScatter<4>, KnomialScatter<8>,
    As<Collective::scatterv, LinearScatter>,
    FlatScan, ChainScan, DoublingScan, GatheredScan,
    FlatExscan, ChainExscan, DoublingExscan, GatheredExscan,
    FlatBarrier, HierarchicalBarrier, DisseminationBarrier>;
// clang-format on

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

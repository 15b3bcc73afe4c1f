// Every kernel there is: the algorithms of coll/algorithms.hpp, and those for ranks that share one GPU.
#pragma once

#include <tuple>

#include "coll/algorithms.hpp"
#include "cuda/kernels/direct.hpp"

namespace xylem::cuda {

template <class... More, class... Algorithms>
constexpr coll::AlgorithmList<Algorithms..., More...> append(coll::AlgorithmList<Algorithms...>);

using KernelList =
    decltype(append<DirectVector<coll::Collective::allreduce>, DirectVector<coll::Collective::reduce>,
                    DirectVector<coll::Collective::bcast>, DirectAllgather, DirectReduceScatterBlock, DirectGather,
                    DirectScatter, DirectAlltoall, DirectScan, DirectExscan>(coll::Algorithms()));

template <class... Algorithms>
constexpr std::tuple<Algorithms...> as_tuple(coll::AlgorithmList<Algorithms...>);

// By place in the list.
template <std::size_t kPlace>
using KernelAlgorithm = std::tuple_element_t<kPlace, decltype(as_tuple(KernelList()))>;

}  // namespace xylem::cuda

// What the entry points of kernels consist of. They are written by write_entries.cpp, from the list of kernels.
#pragma once

#include "cuda/kernels/block_team.hpp"
#include "cuda/kernels/kernel_list.hpp"
#include "cuda/kernels/run_block.hpp"

namespace xylem::cuda {

template <std::size_t kPlace>
__device__ void run_kernel(const KernelCall& call) {
  __shared__ BlockShared shared;
  BlockTeam team(shared, call);
  run_block<KernelAlgorithm<kPlace>>(team, call, blockIdx.x, gridDim.x);
}

}  // namespace xylem::cuda

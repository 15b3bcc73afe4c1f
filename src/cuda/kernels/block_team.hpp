// The Team of a CUDA block (exec/port.hpp): its threads go through an algorithm side by side. Each thread has an object of
// its own; what they share lies in BlockShared.
#pragma once

#include "cuda/kernels/kernel_call.hpp"

namespace xylem::cuda {

// In the shared memory of the block.
struct BlockShared {
  static constexpr std::size_t kLeadBytes = 16;
  // By Team (the whole block and its halves) and turn: what the first thread tells the others.
  alignas(kLeadBytes) std::byte lead[3][2][kLeadBytes];
};

class BlockTeam {
 public:
  static constexpr bool kConnects = false;
  static constexpr bool kLends = false;

  __device__ BlockTeam(BlockShared& shared, const KernelCall& call) : shared_(shared), call_(call), size_(blockDim.x) {}

  __device__ int rank() const { return static_cast<int>(threadIdx.x - first_); }
  __device__ int size() const { return static_cast<int>(size_); }

  // Each half has a hardware barrier of its own; threads of a warp need not arrive together.
  __device__ void sync() const { __barrier_sync_count(team_, size_); }

  template <class Function>
  __device__ auto lead(Function function) {
    using T = decltype(function());
    static_assert(sizeof(T) <= BlockShared::kLeadBytes);
    // Two turns: all have read a word when the first thread writes it again, for a sync lies between.
    turn_ ^= 1U;
    T& word = *reinterpret_cast<T*>(shared_.lead[team_][turn_]);
    if (rank() == 0) word = function();
    sync();
    return word;
  }

  template <class Ready>
  __device__ exec::Fault wait(Ready ready) const {
    // The abort word may lie in host memory: looking there takes longer than looking at a channel.
    constexpr unsigned kLooksPerAbortLook = 64;
    for (unsigned looks = 1;; ++looks) {
      if (ready()) return exec::Fault::none;
      if (looks % kLooksPerAbortLook == 0 && exec::load_acquire(*call_.abort_word) != 0) return exec::Fault::aborted;
    }
  }

  __device__ void report(exec::Fault fault, std::uint32_t peer, bool on_board) const {
    report_fault(call_, blockIdx.x, fault, peer, on_board);
  }

  __device__ exec::Fault agree(exec::Fault fault) const {
    const bool any = __syncthreads_or(fault != exec::Fault::none) != 0;
    return fault != exec::Fault::none || !any ? fault : exec::Fault::aborted;
  }

  // Halves of whole warps.
  template <class First, class Second>
  __device__ void split(First first, Second second) {
    const unsigned half = blockDim.x / 2, turn = turn_;
    const bool in_first = threadIdx.x < half;
    sync();
    team_ = in_first ? 1 : 2;
    first_ = in_first ? 0 : half;
    size_ = in_first ? half : blockDim.x - half;
    if (in_first) {
      first();
    } else {
      second();
    }
    team_ = 0;
    first_ = 0;
    size_ = blockDim.x;
    turn_ = turn;
    sync();
  }

 private:
  BlockShared& shared_;
  const KernelCall& call_;
  unsigned team_ = 0;   // 0: the whole block; 1, 2: its halves. The number of the barrier, too
  unsigned first_ = 0;  // the thread of the block that is the Team's first
  unsigned size_;
  unsigned turn_ = 0;
};

}  // namespace xylem::cuda

// What the host gives a kernel, and what it may find afterwards. Plain C++ with no CUDA header: host and device share it.
//
// A kernel xylem_<collective>_<algorithm> takes one KernelCall by value and is launched with kBlockThreads threads per block
// and one block per lane: block b does its own part of the call (coll::LaneShare) over its own channels. Every rank of the
// call launches the same number of blocks, all of them resident at once.
//
// Ranks that share a GPU are its *residents*; one of them, the leader, launches a kernel for all. The algorithm runs among
// the leaders. Before it, each block folds its part of the residents' inputs, in the order of the table, into `folded`; after
// it, each block copies its part of args.output to the residents' outputs. Where all ranks share one GPU nothing is left
// between these two: that is the algorithm "direct" (cuda/kernels/direct.hpp).
#pragma once

#include "coll/args.hpp"
#include "exec/fault.hpp"
#include "exec/port.hpp"
#include "xylem/xylem.h"

namespace xylem::cuda {

inline constexpr unsigned kBlockThreads = 512;
inline constexpr std::uint32_t kMaxResidents = 16;

// The buffers of a rank that shares the GPU, as the leader sees them. Laid out as those of args.
struct Resident {
  const std::byte* input = nullptr;  // null: has none in this call
  std::byte* output = nullptr;       // null: has none in this call, or it is args.output
};

// What a block met, in memory that host and device can write. A kernel writes only where it met a fault; the host reads, and
// clears, when the kernel has ended.
struct KernelReport {
  exec::Fault fault = exec::Fault::none;
  std::uint32_t peer = 0;      // a rank of the communicator or, on the board, a member of its group
  std::uint32_t on_board = 0;  // 1: met on the board
};

struct KernelCall {
  // Device pointers throughout: the buffers, scratch, and the members of groups. Channels and groups are by rank of the
  // communicator. Scratch is that of block 0; with residents, args.input is `folded` where that is not null.
  coll::Args args;
  std::size_t scratch_stride = 0;  // bytes from a block's scratch to the next block's

  xylem_type type = XYLEM_BYTE;
  xylem_op op = XYLEM_OP_COUNT;  // XYLEM_OP_COUNT: reduces nothing
  std::uint32_t signature = 0;   // of the call, as MemoryPort takes it

  // Ends every wait of the kernel when it is not 0 any more (an exec::Fault). A kernel that meets a fault raises it too, so
  // that no other block waits for ever. In memory that host and device can write at the same time.
  std::uint32_t* abort_word = nullptr;

  // By block: channels and board of that lane, all connected (`connect` is null). In device memory with everything that the
  // pointers in it lead to, channels and their positions too: kernels move them on, so a captured graph replays.
  exec::Endpoints* endpoints = nullptr;
  KernelReport* reports = nullptr;  // by block

  std::uint32_t residents = 0;  // entries of `resident`: 0, or all ranks of this GPU in rank order, the leader too
  std::byte* folded =
      nullptr;  // where the residents' inputs are folded to: args.output, or memory of its size; null: nothing
  Resident resident[kMaxResidents];
};

// Parameters of a kernel: 4 KiB at most.
static_assert(sizeof(KernelCall) <= 4096);

}  // namespace xylem::cuda

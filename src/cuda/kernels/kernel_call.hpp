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
#include "cuda/kernels/line_channel.hpp"
#include "exec/fault.hpp"
#include "exec/port.hpp"
#include "xylem/xylem.h"

namespace xylem::cuda {

inline constexpr unsigned kBlockThreads = 512;
inline constexpr std::uint32_t kMaxResidents = 16;

// The buffers of a rank that shares the GPU, as the leader sees them. Laid out as those of args.
struct Resident {
  const std::byte* input = nullptr;  // null: has none in this call
  std::byte* output = nullptr;       // null: has none in this call
};

// Lengths and offsets of blocks that differ, by rank.
struct BlockTable {
  std::size_t lengths[kMaxResidents] = {};
  std::size_t offsets[kMaxResidents] = {};
};

// What a block met, in memory that host and device can write. A kernel writes only where it met a fault; the host reads, and
// clears, when the kernel has ended.
struct KernelReport {
  std::uint32_t fault = 0;     // an exec::Fault
  std::uint32_t peer = 0;      // a rank of the communicator or, on the board, a member of its group
  std::uint32_t on_board = 0;  // 1: met on the board
};

struct KernelCall {
  // Of the whole call; blocks cut it themselves. Device pointers throughout: buffers, scratch, members of groups. Scratch is
  // that of block 0. Where residents' inputs are folded, args.input is `folded`.
  coll::Args args;
  // Where args say that blocks differ, in place of args' own lengths and offsets: so they are part of a captured graph.
  BlockTable sent, received;
  std::size_t scratch_stride = 0;  // from a block's scratch to the next one's: what the algorithm needs for the longest part

  xylem_type type = XYLEM_BYTE;
  xylem_op op = XYLEM_OP_COUNT;  // XYLEM_OP_COUNT: reduces nothing
  std::uint32_t signature = 0;   // of the call, as MemoryPort takes it

  // Ends every wait of the kernel when it is not 0 any more (an exec::Fault). A kernel that meets a fault raises it too, so
  // that no other block waits for ever. In memory that host and device can write at the same time.
  std::uint32_t* abort_word = nullptr;

  // By block: channels and board of that lane, all connected (`connect` is null). In device memory with everything that the
  // pointers in it lead to, channels and their positions too: kernels move them on, so a captured graph replays.
  exec::Endpoints* endpoints = nullptr;
  // Likewise, in place of channels, where every message is kLineBytes at most; else null.
  const LineEndpoints* lines = nullptr;
  KernelReport* reports = nullptr;  // by block

  // The ranks of this GPU in rank order, the leader too; none where the leader is alone. Vectors only, but for "direct", for
  // which args.root is a place in this table.
  std::uint32_t residents = 0;
  std::byte* folded = nullptr;     // args.output, or memory of that size. Null: nothing is folded
  std::uint32_t folded_first = 0;  // the resident that the fold begins with: `folded` may be its input, and no other's
  Resident resident[kMaxResidents];
};

// Parameters of a kernel: 4 KiB at most.
static_assert(sizeof(KernelCall) <= 4096);

// For the host: where args say that blocks differ, puts their lengths and offsets where kernels find them.
inline void fill_tables(KernelCall& call, std::uint32_t ranks) {
  const auto fill = [ranks](BlockTable& table, const coll::Blocks& blocks) {
    for (std::uint32_t rank = 0; blocks.lengths != nullptr && rank < ranks; ++rank) {
      table.lengths[rank] = blocks.lengths[rank];
      table.offsets[rank] = blocks.offsets[rank];
    }
  };
  fill(call.sent, call.args.sent);
  fill(call.received, call.args.received);
}

// What a block goes by. `call` must outlive it.
XYLEM_HD inline coll::Args args_of(const KernelCall& call, coll::LaneShare block) {
  coll::Args args = call.args;
  if (args.sent.lengths != nullptr) {
    args.sent.lengths = call.sent.lengths;
    args.sent.offsets = call.sent.offsets;
  }
  if (args.received.lengths != nullptr) {
    args.received.lengths = call.received.lengths;
    args.received.offsets = call.received.offsets;
  }
  return args.of_lane(block);
}

// What a block does where it met a fault. What was met here tells more than that somebody gave up; halves of a block may
// report at the same time: either will do.
XYLEM_HD inline void report_fault(const KernelCall& call, std::uint32_t block, exec::Fault fault, std::uint32_t peer,
                                  bool on_board) {
  KernelReport& report = call.reports[block];
  if (fault == exec::Fault::aborted && exec::load_acquire(report.fault) != 0) return;
  exec::store_release(report.peer, peer);
  exec::store_release(report.on_board, std::uint32_t{on_board});
  exec::store_release(report.fault, static_cast<std::uint32_t>(fault));
  if (exec::load_acquire(*call.abort_word) != 0) return;
  exec::store_release(*call.abort_word, static_cast<std::uint32_t>(exec::Fault::aborted));
}

}  // namespace xylem::cuda

// The memory that the ranks of one communicator on one host share, as one of these ranks has it: channels between every two,
// a board, an abort word, and a log of each rank's calls. "Local" ranks are numbered 0 ... local_size - 1 in the
// host.
//
// Use: construct, info, [allgather of the infos], attach, (everything else)*, destroy.
//
// Every rank lays out its own block of its process's arena and writes only there (block_layout.hpp). When it destroys this
// object its peers may still read the block: it stays until each has let go of it too. Nobody waits for that, and there is no
// order in which ranks must destroy. Pointers into a peer's block end with this object.
//
// One thread at a time; raise_abort() and log() may be called by any thread between attach and destroy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "exec/board.hpp"
#include "exec/channel.hpp"
#include "shm/arena.hpp"
#include "shm/block_layout.hpp"
#include "shm/call_log.hpp"

namespace xylem::shm {

// What a rank tells its peers about its block. Sent as it is.
struct BlockInfo {
  ArenaId arena;
  std::uint64_t offset;
  BlockShape shape;
  std::int32_t local_rank;
  std::int32_t local_size;
};
static_assert(std::is_trivially_copyable_v<BlockInfo> && sizeof(BlockInfo) == 48);

class HostMemory {
 public:
  // Reserves this rank's block; a smaller one the less is left of the arena. Throws Error.
  HostMemory(int local_rank, int local_size);
  ~HostMemory();
  HostMemory(const HostMemory&) = delete;
  HostMemory& operator=(const HostMemory&) = delete;

  BlockInfo info() const;

  // Maps the peers' blocks: `infos` are all local ranks' in order. Throws Error; then nothing but abandon() and destroying is
  // legal.
  void attach(std::span<const BlockInfo> infos);

  // For a communicator that is given up before its first use, since attach() failed on some rank: all ranks have left
  // attach(), know that it failed, and call this, each before it destroys. Without it the blocks of peers that could not be
  // attached to would stay until their processes end.
  void abandon();

  int local_rank() const { return static_cast<int>(rank_); }
  int local_size() const { return static_cast<int>(size_); }

  // What every rank's channels and boards can take.
  std::uint32_t min_slot_bytes() const { return min_slot_bytes_; }
  std::uint32_t min_board_payload() const { return board_payload_of(board_stride_); }

  // This rank's end of the one channel to or from a peer, at its beginning: the caller keeps it as long as the communicator
  // lives. A channel has the slots of its sender.
  exec::Channel sender(int local_peer) const;
  exec::Channel receiver(int local_peer) const;

  // At its beginning too; points into this object.
  exec::Board board() const;

  // What this rank's waits look at.
  std::uint32_t& abort_word() const { return head(rank_).control.abort; }

  // Sets the abort words of all local ranks, own included, to `code` (not 0), where none is set yet.
  void raise_abort(std::uint32_t code) const;

  // Whether a local rank has destroyed its side: its process may end then. Any thread.
  bool has_left(int local_rank) const;

  // The process of a local rank has ended without destroying its side: it will not let go of this rank's block. Any thread,
  // once for each rank.
  void mourn(int local_rank) const;

  // A port number that each rank may show the others; 0 until then. Any thread.
  void show_port(std::uint16_t port) const;
  std::uint16_t port_of(int local_rank) const;

  // True for one rank of the host that asks for this call, or for one after it. Any thread.
  bool first_to_warn(std::uint64_t sequence) const;

  CallLog& own_log() const { return head(rank_).log; }
  const CallLog& log(int local_rank) const { return head(static_cast<std::uint32_t>(local_rank)).log; }

 private:
  // A block as this rank sees it.
  struct View {
    std::shared_ptr<std::byte> arena;  // keeps a peer's mapping
    std::byte* base = nullptr;
    BlockLayout layout;
    std::uint32_t slot_bytes = 0;
  };

  void reserve();
  void view_peer(std::uint32_t peer, const BlockInfo& info);
  void let_go_of_peers();
  BlockHead& head(std::uint32_t rank) const { return *reinterpret_cast<BlockHead*>(views_[rank].base); }
  PeerLines& lines(std::uint32_t owner, std::uint32_t peer) const;
  std::byte* slots(std::uint32_t owner, std::uint32_t peer) const;

  Arena& arena_;
  std::uint32_t rank_;
  std::uint32_t size_;
  BlockShape shape_{};
  Block block_{};
  std::uint32_t readers_;    // peers that will say when they have let go of the block
  std::vector<View> views_;  // by local rank; no base where not attached
  std::vector<std::byte*> board_buffers_;
  std::vector<exec::BoardDone*> board_done_;
  std::uint32_t board_stride_ = 0;  // the smallest of all: it fits into every rank's
  std::uint32_t min_slot_bytes_ = 0;
};

}  // namespace xylem::shm

#include "shm/host_memory.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <string>

#include "base/error.hpp"
#include "shm/peers.hpp"

namespace xylem::shm {
namespace {

// A peer's numbers are not trusted: a wrong one must not lead outside of its arena.
void check(const BlockInfo& info, std::uint32_t rank, std::uint32_t size) {
  const std::string who = "the block of local rank " + std::to_string(rank);
  if (info.local_rank != static_cast<std::int32_t>(rank) || info.local_size != static_cast<std::int32_t>(size)) {
    throw Error(XYLEM_ERROR_INTERNAL, who + " was announced as that of rank " + std::to_string(info.local_rank) + " of " +
                                          std::to_string(info.local_size) + ": the ranks do not agree who is on this host");
  }
  if (!is_shape(info.shape)) {
    throw Error(XYLEM_ERROR_INTERNAL, who + " has slots of " + std::to_string(info.shape.slot_bytes) + " and a board of " +
                                          std::to_string(info.shape.board_stride) + " bytes, which cannot be");
  }
  const std::size_t bytes = BlockLayout(size, info.shape).bytes();
  if (info.offset % kPage != 0 || info.offset < kPage || info.offset > info.arena.bytes ||
      info.arena.bytes - info.offset < bytes) {
    throw Error(XYLEM_ERROR_INTERNAL, who + " lies outside of its process's shared memory (" + std::to_string(bytes) +
                                          " bytes at " + std::to_string(info.offset) + " of " +
                                          std::to_string(info.arena.bytes) + ")");
  }
}

}  // namespace

HostMemory::HostMemory(int local_rank, int local_size)
    : arena_(Arena::of_process()),
      rank_(static_cast<std::uint32_t>(local_rank)),
      size_(static_cast<std::uint32_t>(local_size)),
      readers_(size_ - 1) {
  reserve();
  const BlockLayout layout(size_, shape_);
  views_.assign(size_, View{nullptr, nullptr, layout, 0});
  views_[rank_] = View{nullptr, arena_.base() + block_.offset, layout, shape_.slot_bytes};
}

void HostMemory::reserve() {
  std::size_t limit = block_limit(arena_.id().bytes, arena_.free_bytes());
  const BlockShape smallest{kMinSlotBytes, board_stride_for(kMinBoardBytes)};
  // What is left may be in pieces, each too small.
  for (;; limit /= 2) {
    shape_ = choose_shape(size_, limit);
    const std::size_t bytes = BlockLayout(size_, shape_).bytes();
    if (const auto block = arena_.allocate(bytes)) {
      block_ = *block;
      return;
    }
    if (shape_ == smallest) {
      throw Error(XYLEM_ERROR_OUT_OF_MEMORY,
                  "no shared memory is left for a communicator of " + std::to_string(size_) + " ranks on this host (" +
                      std::to_string(bytes) + " bytes; " + std::to_string(arena_.free_bytes()) + " of " +
                      std::to_string(arena_.id().bytes) + " are free): free communicators that are not needed any more");
    }
  }
}

HostMemory::~HostMemory() {
  // A forked child has copies of the parent's objects, but nothing of what they stand for.
  if (arena_.id().pid != getpid()) return;
  std::atomic_ref(head(rank_).control.left).store(1, std::memory_order_release);
  let_go_of_peers();
  if (readers_ == 0) {
    arena_.free(block_);
  } else {
    arena_.retire(block_, head(rank_).control.closed, readers_);
  }
}

void HostMemory::let_go_of_peers() {
  for (std::uint32_t peer = 0; peer < size_; ++peer) {
    if (peer == rank_ || views_[peer].base == nullptr) continue;
    // Release: our last reads come before the owner, which sees this (acquire), clears the block.
    std::atomic_ref(head(peer).control.closed).fetch_add(1, std::memory_order_release);
    views_[peer].base = nullptr;
    views_[peer].arena.reset();
  }
}

BlockInfo HostMemory::info() const {
  return {arena_.id(), block_.offset, shape_, static_cast<std::int32_t>(rank_), static_cast<std::int32_t>(size_)};
}

void HostMemory::attach(std::span<const BlockInfo> infos) {
  if (infos.size() != size_) {
    throw Error(XYLEM_ERROR_INTERNAL,
                "blocks of " + std::to_string(infos.size()) + " local ranks for a host of " + std::to_string(size_));
  }
  BlockShape common = shape_;
  for (std::uint32_t peer = 0; peer < size_; ++peer) {
    check(infos[peer], peer, size_);
    common.slot_bytes = std::min(common.slot_bytes, infos[peer].shape.slot_bytes);
    common.board_stride = std::min(common.board_stride, infos[peer].shape.board_stride);
  }
  for (std::uint32_t peer = 0; peer < size_; ++peer) {
    if (peer != rank_) view_peer(peer, infos[peer]);
  }
  min_slot_bytes_ = common.slot_bytes;
  board_stride_ = common.board_stride;
  for (const View& view : views_) {
    board_buffers_.push_back(view.base + view.layout.board());
    board_done_.push_back(&reinterpret_cast<BlockHead*>(view.base)->done);
  }
}

void HostMemory::view_peer(std::uint32_t peer, const BlockInfo& info) {
  try {
    std::shared_ptr<std::byte> arena = PeerArenas::of_process().open(info.arena);
    std::byte* const base = arena.get() + info.offset;
    views_[peer] = View{std::move(arena), base, BlockLayout(size_, info.shape), info.shape.slot_bytes};
  } catch (const Error& error) {
    throw Error(error.code(),
                "local rank " + std::to_string(rank_) + " to local rank " + std::to_string(peer) + ": " + error.what());
  }
}

void HostMemory::abandon() {
  for (std::uint32_t peer = 0; peer < size_; ++peer) {
    if (peer == rank_) continue;
    views_[peer].base = nullptr;
    views_[peer].arena.reset();
  }
  readers_ = 0;
}

PeerLines& HostMemory::lines(std::uint32_t owner, std::uint32_t peer) const {
  const View& view = views_[owner];
  return *reinterpret_cast<PeerLines*>(view.base + view.layout.lines(BlockLayout::index_of(owner, peer)));
}

std::byte* HostMemory::slots(std::uint32_t owner, std::uint32_t peer) const {
  const View& view = views_[owner];
  return view.base + view.layout.slots(BlockLayout::index_of(owner, peer));
}

exec::Channel HostMemory::sender(int local_peer) const {
  const auto peer = static_cast<std::uint32_t>(local_peer);
  return {&lines(rank_, peer).tail, &lines(peer, rank_).head, slots(rank_, peer), views_[rank_].slot_bytes};
}

exec::Channel HostMemory::receiver(int local_peer) const {
  const auto peer = static_cast<std::uint32_t>(local_peer);
  return {&lines(peer, rank_).tail, &lines(rank_, peer).head, slots(peer, rank_), views_[peer].slot_bytes};
}

exec::Board HostMemory::board() const {
  return {board_buffers_.data(), board_done_.data(), rank_, size_, board_stride_, min_board_payload()};
}

bool HostMemory::has_left(int local_rank) const {
  return std::atomic_ref(head(static_cast<std::uint32_t>(local_rank)).control.left).load(std::memory_order_acquire) != 0;
}

void HostMemory::mourn(int local_rank) const {
  if (local_rank == this->local_rank()) return;
  std::atomic_ref(head(rank_).control.closed).fetch_add(1, std::memory_order_release);
}

void HostMemory::show_port(std::uint16_t port) const {
  std::atomic_ref(head(rank_).control.port).store(port, std::memory_order_release);
}

std::uint16_t HostMemory::port_of(int local_rank) const {
  const std::uint32_t& port = head(static_cast<std::uint32_t>(local_rank)).control.port;
  return static_cast<std::uint16_t>(exec::load_acquire(port));
}

bool HostMemory::first_to_warn(std::uint64_t sequence) const {
  std::atomic_ref warned(head(0).control.warned);
  std::uint64_t last = warned.load(std::memory_order_relaxed);
  while (last < sequence)
    if (warned.compare_exchange_weak(last, sequence, std::memory_order_relaxed)) return true;
  return false;
}

void HostMemory::raise_abort(std::uint32_t code) const {
  for (std::uint32_t rank = 0; rank < size_; ++rank) {
    std::uint32_t none = 0;
    std::atomic_ref(head(rank).control.abort)
        .compare_exchange_strong(none, code, std::memory_order_release, std::memory_order_relaxed);
  }
}

}  // namespace xylem::shm

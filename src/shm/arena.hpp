// The memory that a process shows to the other ranks of its host: one anonymous file (memfd), mapped once, of which each
// communicator takes a block. It has no name anywhere and vanishes with the last process that maps it, however that ends; it
// does not count against /dev/shm. Its size is virtual: pages exist once they are touched, until their block is freed.
//
// Who can open it: a process that may read this one by the kernel's ptrace rules, that is one of the same user (or root). The
// file's own mode says the same. Nobody else can, although the descriptor's number is no secret.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "shm/block_allocator.hpp"
#include "shm/mapping.hpp"

namespace xylem::shm {

// Of everything that ranks share: a process built from other sources must not be attached to.
inline constexpr std::uint32_t kLayoutVersion = 5;

inline constexpr std::size_t kArenaBytes = std::size_t{512} << 20;

// How another process finds the arena, and the proof that it has found it. Sent to other ranks as it is.
struct ArenaId {
  std::uint64_t nonce;
  std::uint64_t bytes;
  std::int32_t pid;
  std::int32_t fd;

  bool operator==(const ArenaId&) const = default;
};
static_assert(sizeof(ArenaId) == 24);

// The first bytes of the arena, written once before anybody else can look.
struct ArenaHead {
  std::uint64_t nonce;
  std::uint64_t bytes;
  std::int32_t pid;
  std::uint32_t layout_version;
};
static_assert(sizeof(ArenaHead) == 24);

// A piece of an arena.
struct Block {
  std::size_t offset;
  std::size_t bytes;  // a multiple of kPage
};

// Thread-safe.
class Arena {
 public:
  static Arena& of_process();

  // Takes less than `bytes` where the process's limits (address space, file size) leave less. Throws Error.
  explicit Arena(std::size_t bytes = kArenaBytes);

  const ArenaId& id() const { return id_; }
  std::byte* base() const { return mapping_.data(); }

  // A block of zeros, or nothing when no hole is large enough. `bytes` is rounded up to whole pages.
  std::optional<Block> allocate(std::size_t bytes);

  // Gives the block and its pages back.
  void free(const Block& block);

  // Like free(), but once `closed` (a word inside the block) has reached `readers`: when so many others have let go of the
  // block. Nobody waits: it is looked at whenever a block is allocated or retired.
  void retire(const Block& block, std::uint32_t& closed, std::uint32_t readers);

  std::size_t free_bytes() const;

 private:
  struct Retired {
    Block block;
    std::uint32_t* closed;
    std::uint32_t readers;
  };

  void reclaim();
  void clear(const Block& block) const;

  Descriptor file_;
  Mapping mapping_;
  ArenaId id_{};
  mutable std::mutex mutex_;
  std::optional<BlockAllocator> blocks_;  // set by the constructor, once the size is known
  std::vector<Retired> retired_;
};

}  // namespace xylem::shm

// Hands out page-aligned blocks of a range of offsets: first fit, neighbours joined when freed. Knows no memory and takes no
// lock; the Arena adds both.
#pragma once

#include <cstddef>
#include <map>
#include <optional>

namespace xylem::shm {

inline constexpr std::size_t kPage = 4096;

constexpr std::size_t round_up(std::size_t value, std::size_t unit) { return (value + unit - 1) / unit * unit; }

class BlockAllocator {
 public:
  // Offsets begin ... end - 1; both are multiples of kPage.
  BlockAllocator(std::size_t begin, std::size_t end);

  // The offset of a block of `bytes` bytes (a positive multiple of kPage), or nothing if no hole is that large.
  std::optional<std::size_t> allocate(std::size_t bytes);

  // Takes back exactly what allocate() gave.
  void free(std::size_t offset, std::size_t bytes);

  std::size_t free_bytes() const { return free_bytes_; }
  std::size_t holes() const { return holes_.size(); }

 private:
  std::map<std::size_t, std::size_t> holes_;  // offset to bytes; no two touch
  std::size_t free_bytes_;
};

}  // namespace xylem::shm

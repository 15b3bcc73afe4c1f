#include "shm/block_allocator.hpp"

#include <algorithm>
#include <cassert>
#include <iterator>

namespace xylem::shm {

BlockAllocator::BlockAllocator(std::size_t begin, std::size_t end) : free_bytes_(end - begin) {
  assert(begin % kPage == 0 && end % kPage == 0 && begin < end);
  holes_.emplace(begin, end - begin);
}

std::optional<std::size_t> BlockAllocator::allocate(std::size_t bytes) {
  assert(bytes > 0 && bytes % kPage == 0);
  const auto hole = std::find_if(holes_.begin(), holes_.end(), [bytes](const auto& entry) { return entry.second >= bytes; });
  if (hole == holes_.end()) return std::nullopt;
  const auto [offset, hole_bytes] = *hole;
  holes_.erase(hole);
  if (hole_bytes > bytes) holes_.emplace(offset + bytes, hole_bytes - bytes);
  free_bytes_ -= bytes;
  return offset;
}

void BlockAllocator::free(std::size_t offset, std::size_t bytes) {
  free_bytes_ += bytes;
  auto next = holes_.lower_bound(offset);
  assert(next == holes_.end() || offset + bytes <= next->first);
  if (next != holes_.end() && next->first == offset + bytes) {
    bytes += next->second;
    next = holes_.erase(next);
  }
  if (next != holes_.begin()) {
    const auto before = std::prev(next);
    assert(before->first + before->second <= offset);
    if (before->first + before->second == offset) {
      before->second += bytes;
      return;
    }
  }
  holes_.emplace(offset, bytes);
}

}  // namespace xylem::shm

#include "bench/buffer_pool.hpp"

#include <algorithm>
#include <cstring>
#include <new>

namespace xylem::tools {
namespace {

constexpr std::size_t alignment = 64;
constexpr std::size_t wanted_bytes = 32 << 20;  // for small vectors; two pairs of large ones may take more
constexpr std::size_t most_pairs = 256;

std::size_t aligned(std::size_t bytes) { return std::max(alignment, (bytes + alignment - 1) / alignment * alignment); }

}  // namespace

BufferPool::BufferPool(std::size_t send_bytes, std::size_t receive_bytes)
    : send_span_(aligned(send_bytes)),
      pair_span_(send_span_ + aligned(receive_bytes)),
      pairs_(std::clamp<std::size_t>(wanted_bytes / pair_span_, 2, most_pairs)),
      memory_(static_cast<std::byte*>(std::aligned_alloc(alignment, pairs_ * pair_span_))) {
  if (memory_ == nullptr) throw std::bad_alloc();
  std::memset(memory_.get(), 0, pairs_ * pair_span_);  // no page fault in a timed call
}

Buffers BufferPool::operator[](std::size_t pair) const {
  std::byte* const begin = memory_.get() + pair % pairs_ * pair_span_;
  return {begin, begin + send_span_};
}

}  // namespace xylem::tools

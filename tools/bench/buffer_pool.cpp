#include "bench/buffer_pool.hpp"

#include <algorithm>
#include <cstring>
#include <new>

namespace xylem::tools {
namespace {

constexpr std::size_t alignment = 64;
// For small vectors; pairs of large ones may take more.
constexpr std::size_t wanted_bytes = 32 << 20, wanted_warm_bytes = 256 << 10;
constexpr std::size_t most_pairs = 256;

std::size_t aligned(std::size_t bytes) { return std::max(alignment, (bytes + alignment - 1) / alignment * alignment); }

std::size_t pairs(std::size_t pair_span, bool warm) {
  return warm ? std::clamp<std::size_t>(wanted_warm_bytes / pair_span, 1, most_pairs)
              : std::clamp<std::size_t>(wanted_bytes / pair_span, 2, most_pairs);
}

}  // namespace

std::size_t BufferPool::bytes(std::size_t send_bytes, std::size_t receive_bytes, bool warm) {
  const std::size_t span = aligned(send_bytes) + aligned(receive_bytes);
  return pairs(span, warm) * span;
}

BufferPool::BufferPool(std::size_t send_bytes, std::size_t receive_bytes, bool warm)
    : send_span_(aligned(send_bytes)),
      pair_span_(send_span_ + aligned(receive_bytes)),
      pairs_(pairs(pair_span_, warm)),
      memory_(static_cast<std::byte*>(std::aligned_alloc(alignment, pairs_ * pair_span_))) {
  if (memory_ == nullptr) throw std::bad_alloc();
  std::memset(memory_.get(), 0, pairs_ * pair_span_);  // no page fault in a timed call
}

Buffers BufferPool::operator[](std::size_t pair) const {
  std::byte* const begin = memory_.get() + pair % pairs_ * pair_span_;
  return {begin, begin + send_span_};
}

}  // namespace xylem::tools

#include "shm/block_layout.hpp"

namespace xylem::shm {
namespace {

// A board buffer also has the word, so its stride is no power of two: the ranks' buffers do not fall into the same cache
// sets.
constexpr bool holds_power_of_two(std::uint32_t stride) {
  for (std::uint32_t bytes = kMinBoardBytes; bytes <= kMaxBoardBytes; bytes *= 2) {
    if (stride == board_stride_for(bytes)) return true;
  }
  return false;
}

}  // namespace

bool is_shape(const BlockShape& shape) {
  const bool power_of_two = (shape.slot_bytes & (shape.slot_bytes - 1)) == 0;
  return power_of_two && shape.slot_bytes >= kMinSlotBytes && shape.slot_bytes <= kMaxSlotBytes &&
         holds_power_of_two(shape.board_stride);
}

BlockShape choose_shape(std::uint32_t local_size, std::size_t limit) {
  std::uint32_t slot_bytes = kMaxSlotBytes;
  std::uint32_t board_bytes = kMaxBoardBytes;
  const auto shape = [&] { return BlockShape{slot_bytes, board_stride_for(board_bytes)}; };
  const auto too_large = [&] { return BlockLayout(local_size, shape()).bytes() > limit; };
  while (board_bytes > kMinBoardBytes && exec::kBoardDepth * std::size_t{board_bytes} > limit / 8) board_bytes /= 2;
  while (slot_bytes > kMinSlotBytes && too_large()) slot_bytes /= 2;
  while (board_bytes > kMinBoardBytes && too_large()) board_bytes /= 2;
  return shape();
}

BlockLayout::BlockLayout(std::uint32_t local_size, const BlockShape& shape)
    : peers_(local_size - 1),
      lines_(sizeof(BlockHead) + exec::kBoardDepth * std::size_t{shape.board_stride}),
      slots_(lines_ + peers_ * sizeof(PeerLines)),
      channel_bytes_(exec::kSlots * std::size_t{shape.slot_bytes}) {}

}  // namespace xylem::shm

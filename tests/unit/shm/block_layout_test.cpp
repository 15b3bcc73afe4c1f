#include "shm/block_layout.hpp"

#include <vector>

#include "gtest/gtest.h"
#include "shm/arena.hpp"

namespace xylem::shm {
namespace {

constexpr BlockShape kSmallest{256, 384};
constexpr BlockShape kLargest{kMaxSlotBytes, board_stride_for(kMaxBoardBytes)};

TEST(BlockLayout, OffsetsFollowEachOther) {
  const BlockLayout layout(3, kSmallest);
  EXPECT_EQ(layout.board(), 896U);
  EXPECT_EQ(layout.lines(0), 896U + 4 * 384);
  EXPECT_EQ(layout.lines(1), layout.lines(0) + 256);
  EXPECT_EQ(layout.slots(0), layout.lines(1) + 256);
  EXPECT_EQ(layout.slots(1), layout.slots(0) + 4 * 256);
  EXPECT_EQ(layout.bytes(), layout.slots(1) + 4 * 256);
}

TEST(BlockLayout, OneRankHasABoardAndNothingElse) { EXPECT_EQ(BlockLayout(1, kSmallest).bytes(), 896U + 4 * 384); }

TEST(BlockLayout, PeersAreNumberedWithoutTheOwner) {
  EXPECT_EQ(BlockLayout::index_of(2, 0), 0U);
  EXPECT_EQ(BlockLayout::index_of(2, 1), 1U);
  EXPECT_EQ(BlockLayout::index_of(2, 3), 2U);
  EXPECT_EQ(BlockLayout::index_of(0, 1), 0U);
}

TEST(BlockLayout, EverythingStartsOnAPairOfLines) {
  for (std::uint32_t size = 1; size <= 9; ++size) {
    for (const BlockShape& shape : {kSmallest, kLargest}) {
      const BlockLayout layout(size, shape);
      EXPECT_EQ(layout.board() % kPair, 0U);
      EXPECT_EQ(layout.lines(0) % kPair, 0U);
      EXPECT_EQ(layout.slots(0) % kPair, 0U);
      EXPECT_EQ(shape.board_stride % kPair, 0U);
    }
  }
}

TEST(BoardStride, HoldsThePayloadBesideTheWord) {
  EXPECT_EQ(board_stride_for(256), 384U);
  EXPECT_EQ(board_stride_for(32768), 32896U);
  EXPECT_EQ(board_payload_of(384), 352U);
  EXPECT_EQ(board_payload_of(32896), 32864U);
}

TEST(BlockShape, OnlyThoseOfTheLadderAreAccepted) {
  EXPECT_TRUE(is_shape(kSmallest));
  EXPECT_TRUE(is_shape(kLargest));
  for (const std::uint32_t slot_bytes : {0U, 128U, 257U, 768U, 2 * kMaxSlotBytes, 0x80000000U}) {
    EXPECT_FALSE(is_shape({slot_bytes, kSmallest.board_stride})) << slot_bytes;
  }
  for (const std::uint32_t stride : {0U, 128U, 256U, 383U, 768U, board_stride_for(2 * kMaxBoardBytes), 0xffffff80U}) {
    EXPECT_FALSE(is_shape({kSmallest.slot_bytes, stride})) << stride;
  }
}

TEST(ChooseShape, TakesTheLargestThatFits) {
  EXPECT_EQ(choose_shape(2, std::size_t{8} << 20), kLargest);
  EXPECT_EQ(choose_shape(8, std::size_t{8} << 20), kLargest);
  EXPECT_EQ(choose_shape(64, std::size_t{8} << 20), (BlockShape{16384, kLargest.board_stride}));
  EXPECT_EQ(choose_shape(2, 0), kSmallest);
  EXPECT_EQ(choose_shape(256, 4096), kSmallest);
}

TEST(ChooseShape, FitsTheLimitAndUsesAtLeastATenthOfIt) {
  for (const std::uint32_t size : {2U, 3U, 8U, 64U, 256U}) {
    const std::size_t smallest = BlockLayout(size, kSmallest).bytes();
    const std::size_t largest = BlockLayout(size, kLargest).bytes();
    for (std::size_t limit = 1024; limit <= std::size_t{8} << 20; limit += limit / 7) {
      const BlockShape shape = choose_shape(size, limit);
      ASSERT_TRUE(is_shape(shape));
      const std::size_t bytes = BlockLayout(size, shape).bytes();
      if (limit < smallest) {
        EXPECT_EQ(shape, kSmallest);
      } else {
        EXPECT_LE(bytes, limit) << size << " ranks";
        EXPECT_GE(10 * bytes, std::min(limit, largest)) << size << " ranks, limit " << limit;
      }
    }
  }
}

TEST(BlockLimit, HalvesWithEachTwelfthInUse) {
  constexpr std::size_t kTotal = kArenaBytes;
  EXPECT_EQ(block_limit(kTotal, kTotal), std::size_t{8} << 20);
  EXPECT_EQ(block_limit(kTotal, kTotal - kTotal / 13), std::size_t{8} << 20);
  EXPECT_EQ(block_limit(kTotal, kTotal - kTotal / 11), std::size_t{4} << 20);
  EXPECT_EQ(block_limit(kTotal, kTotal / 2), std::size_t{128} << 10);
  EXPECT_EQ(block_limit(kTotal, 0), std::size_t{2} << 10);
}

// Counts how many communicators of `size` local ranks an arena takes.
std::size_t capacity(std::uint32_t size) {
  std::size_t free_bytes = kArenaBytes - kPage;
  for (std::size_t count = 0;; ++count) {
    const BlockShape shape = choose_shape(size, block_limit(kArenaBytes, free_bytes));
    const std::size_t bytes = round_up(BlockLayout(size, shape).bytes(), kPage);
    if (bytes > free_bytes) return count;
    free_bytes -= bytes;
  }
}

TEST(BlockLimit, ThousandsOfCommunicatorsFit) {
  for (const std::uint32_t size : {1U, 2U, 4U, 8U, 32U, 64U, 128U}) EXPECT_GE(capacity(size), 1500U) << size << " ranks";
  EXPECT_GE(capacity(256), 1000U);
}

}  // namespace
}  // namespace xylem::shm

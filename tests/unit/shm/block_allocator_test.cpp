#include "shm/block_allocator.hpp"

#include <map>
#include <random>

#include "gtest/gtest.h"

namespace xylem::shm {
namespace {

constexpr std::size_t kBegin = kPage;
constexpr std::size_t kEnd = 101 * kPage;

TEST(BlockAllocator, TakesTheFirstHoleThatIsLargeEnough) {
  BlockAllocator blocks(kBegin, kEnd);
  EXPECT_EQ(blocks.allocate(2 * kPage), kBegin);
  EXPECT_EQ(blocks.allocate(kPage), kBegin + 2 * kPage);
  EXPECT_EQ(blocks.allocate(3 * kPage), kBegin + 3 * kPage);
  blocks.free(kBegin, 2 * kPage);
  EXPECT_EQ(blocks.allocate(3 * kPage), kBegin + 6 * kPage);  // the hole of 2 is too small
  EXPECT_EQ(blocks.allocate(kPage), kBegin);
  EXPECT_EQ(blocks.allocate(kPage), kBegin + kPage);
  EXPECT_EQ(blocks.free_bytes(), 91 * kPage);
}

TEST(BlockAllocator, RefusesWhatFitsInNoHole) {
  BlockAllocator blocks(kBegin, kEnd);
  EXPECT_EQ(blocks.allocate(101 * kPage), std::nullopt);
  EXPECT_EQ(blocks.allocate(50 * kPage), kBegin);
  EXPECT_EQ(blocks.allocate(kPage), kBegin + 50 * kPage);
  EXPECT_EQ(blocks.allocate(49 * kPage), kBegin + 51 * kPage);
  EXPECT_EQ(blocks.free_bytes(), 0U);
  EXPECT_EQ(blocks.allocate(kPage), std::nullopt);
  blocks.free(kBegin, 50 * kPage);
  blocks.free(kBegin + 51 * kPage, 49 * kPage);
  EXPECT_EQ(blocks.free_bytes(), 99 * kPage);
  EXPECT_EQ(blocks.allocate(51 * kPage), std::nullopt);  // there is room, but in two pieces
}

TEST(BlockAllocator, JoinsNeighboursInAnyOrderOfFreeing) {
  const std::size_t orders[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  for (const auto& order : orders) {
    BlockAllocator blocks(0, 3 * kPage);
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(blocks.allocate(kPage));
    EXPECT_EQ(blocks.holes(), 0U);
    for (const std::size_t index : order) blocks.free(index * kPage, kPage);
    EXPECT_EQ(blocks.holes(), 1U);
    EXPECT_EQ(blocks.allocate(3 * kPage), 0U);
  }
}

TEST(BlockAllocator, RandomUseNeverOverlapsAndEndsWhole) {
  std::mt19937 random(7);
  BlockAllocator blocks(kBegin, kEnd);
  std::map<std::size_t, std::size_t> live;
  std::size_t used = 0;
  for (int step = 0; step < 20000; ++step) {
    if (random() % 2 == 0) {
      const std::size_t bytes = (1 + random() % 9) * kPage;
      const auto offset = blocks.allocate(bytes);
      if (!offset) continue;
      ASSERT_GE(*offset, kBegin);
      ASSERT_LE(*offset + bytes, kEnd);
      const auto next = live.lower_bound(*offset);
      ASSERT_TRUE(next == live.end() || *offset + bytes <= next->first);
      ASSERT_TRUE(next == live.begin() || std::prev(next)->first + std::prev(next)->second <= *offset);
      live.emplace(*offset, bytes);
      used += bytes;
    } else if (!live.empty()) {
      const auto victim = std::next(live.begin(), static_cast<std::ptrdiff_t>(random() % live.size()));
      blocks.free(victim->first, victim->second);
      used -= victim->second;
      live.erase(victim);
    }
    ASSERT_EQ(blocks.free_bytes(), kEnd - kBegin - used);
  }
  for (const auto& [offset, bytes] : live) blocks.free(offset, bytes);
  EXPECT_EQ(blocks.holes(), 1U);
  EXPECT_EQ(blocks.allocate(kEnd - kBegin), kBegin);
}

}  // namespace
}  // namespace xylem::shm

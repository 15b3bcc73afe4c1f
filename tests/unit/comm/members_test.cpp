#include "comm/members.hpp"

#include <gtest/gtest.h>

namespace xylem {
namespace {

// Sizes of the levels of a host whose ranks are in these parts, inner level first.
std::vector<std::uint32_t> levels(const std::vector<topo::Locality>& parts) {
  const std::vector<std::uint64_t> hosts(parts.size(), 7);
  const coll::Levels found = Members(0, hosts, parts).inside();
  return {found.sizes, found.sizes + found.count};
}

using Sizes = std::vector<std::uint32_t>;

TEST(Levels, AreThoseThatHaveAsManyRanksInEveryPart) {
  EXPECT_EQ(levels({{0, 0}, {0, 0}, {0, 2}, {0, 2}, {1, 4}, {1, 4}, {1, 6}, {1, 6}}), (Sizes{2, 4}));
  // Complexes alone; nodes alone.
  EXPECT_EQ(levels({{0, 0}, {0, 0}, {0, 2}, {0, 2}}), Sizes{2});
  EXPECT_EQ(levels({{0, 0}, {0, 2}, {1, 4}, {1, 6}}), Sizes{2});
  // The node of three ranks has one complex and a half.
  EXPECT_EQ(levels({{0, 0}, {0, 0}, {0, 2}, {1, 2}, {1, 4}, {1, 4}}), Sizes{2});
}

TEST(Levels, AreNoneWhereRanksAreAlike) {
  EXPECT_EQ(levels({{0, 0}, {0, 0}}), Sizes{});
  EXPECT_EQ(levels({{-1, -1}, {-1, -1}, {-1, -1}, {-1, -1}}), Sizes{});
  EXPECT_EQ(levels({{0, 0}}), Sizes{});
}

TEST(Levels, AreNoneWhereGroupsAreNoNeighboursOrDiffer) {
  EXPECT_EQ(levels({{0, 0}, {1, 4}, {0, 0}, {1, 4}}), Sizes{});
  EXPECT_EQ(levels({{0, 0}, {0, 0}, {0, 0}, {1, 4}}), Sizes{});
  EXPECT_EQ(levels({{0, 0}, {0, 0}, {-1, -1}, {-1, -1}}), Sizes{});
}

// Each host for itself, whatever ranks of others lie between.
TEST(Levels, AreThoseOfTheOwnHost) {
  const std::uint64_t hosts[] = {7, 8, 7, 8, 7, 8, 7, 8};
  const topo::Locality parts[] = {{0, 0}, {0, 0}, {0, 0}, {0, 0}, {1, 4}, {0, 0}, {1, 4}, {0, 0}};
  EXPECT_EQ(Members(0, hosts, parts).inside().count, 1U);
  EXPECT_EQ(Members(0, hosts, parts).inside().sizes[0], 2U);
  EXPECT_EQ(Members(1, hosts, parts).inside().count, 0U);
}

}  // namespace
}  // namespace xylem

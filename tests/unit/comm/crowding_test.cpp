// How many ranks share a core, from what ranks say of themselves.
#include "comm/crowding.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace xylem {
namespace {

RankCores rank_on(std::uint64_t host, std::uint64_t machine, std::uint64_t cores, double quota = 0) {
  RankCores rank{host, machine, {}, quota};
  rank.mask[0] = cores;
  return rank;
}

TEST(Crowding, ACoreForEachRank) {
  EXPECT_EQ(ranks_per_core(std::vector{rank_on(1, 10, 0b01), rank_on(1, 10, 0b10)}), 1);
  EXPECT_EQ(ranks_per_core(std::vector{rank_on(1, 10, 0b1111)}), 1);
}

TEST(Crowding, TheMostCrowdedHostCounts) {
  EXPECT_EQ(ranks_per_core(std::vector{rank_on(1, 10, 0b11), rank_on(2, 20, 0b1), rank_on(2, 20, 0b1), rank_on(2, 20, 0b1)}),
            3);
}

TEST(Crowding, HostsOfOneMachineShareItsCores) {
  EXPECT_EQ(
      ranks_per_core(std::vector{rank_on(1, 10, 0b11), rank_on(2, 10, 0b11), rank_on(3, 10, 0b11), rank_on(4, 10, 0b11)}), 2);
  EXPECT_EQ(ranks_per_core(std::vector{rank_on(1, 10, 0b01), rank_on(2, 10, 0b10)}), 1);
  // Machines that do not tell who they are are taken to differ.
  EXPECT_EQ(ranks_per_core(std::vector{rank_on(1, 0, 0b1), rank_on(2, 0, 0b1)}), 1);
}

TEST(Crowding, AQuotaOfTimeIsItsHosts) {
  EXPECT_EQ(ranks_per_core(std::vector{rank_on(1, 10, 0xff, 2), rank_on(1, 10, 0xff, 1), rank_on(2, 10, 0xff, 0)}), 2);
}

}  // namespace
}  // namespace xylem

#include "base/spelling.hpp"

#include <gtest/gtest.h>

#include <array>

namespace xylem {
namespace {

constexpr std::array<std::string_view, 4> kNames = {"allreduce", "reduce", "bcast", "barrier"};

TEST(NearestName, TakesTheOneWithTheFewestChangedLetters) {
  EXPECT_EQ(nearest_name("alreduce", kNames), "allreduce");
  EXPECT_EQ(nearest_name("bcats", kNames), "bcast");
  EXPECT_EQ(nearest_name("reduc", kNames), "reduce");
}

TEST(NearestName, HoldsANameCutShortForNearlyRight) { EXPECT_EQ(nearest_name("all", kNames), "allreduce"); }

TEST(NearestName, IsNoneWhereNoneIsNear) {
  for (const char* name : {"x", "re", "broadcast", "alltoall", "gather"}) EXPECT_EQ(nearest_name(name, kNames), "") << name;
  EXPECT_EQ(suggestion("broadcast", kNames), "");
  EXPECT_EQ(suggestion("barier", kNames), "; did you mean barrier?");
}

TEST(NearestName, OfNothingIsEmpty) { EXPECT_EQ(nearest_name("x", {}), ""); }

}  // namespace
}  // namespace xylem

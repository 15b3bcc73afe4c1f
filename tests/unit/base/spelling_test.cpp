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

TEST(Printable, LeavesWordsAsTheyAre) {
  EXPECT_EQ(printable("a word~"), "a word~");
  EXPECT_EQ(printable(std::string(60, 'x')), std::string(60, 'x'));
}

TEST(Printable, SpellsOutWhatATerminalWouldObey) {
  EXPECT_EQ(printable("\x1b[31m\n\x7f\xff"), "\\x1b[31m\\x0a\\x7f\\xff");
  EXPECT_EQ(printable(std::string_view("\0", 1)), "\\x00");
}

TEST(Printable, CutsWhatIsLong) { EXPECT_EQ(printable(std::string(4096, 'x')), std::string(60, 'x') + "..."); }

}  // namespace
}  // namespace xylem

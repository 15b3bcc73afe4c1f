#include "bench/compare.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "bench_runs.hpp"

namespace xylem::tools {
namespace {

const Run before = run_of({row_of("bcast", 8, 1e-6, 2e-6), row_of("reduce", 8, 1e-6, 2e-6), row_of("scan", 8, 1e-6, 2e-6)});

TEST(Compare, FindsNothingInTheSameRun) {
  const Comparison same = compare_runs(before, before);
  EXPECT_FALSE(same.regressed);
  EXPECT_EQ(same.text, "Of 3 lines that are in both, 0 became slower, 0 faster.\n");
}

TEST(Compare, ListsWhatBecameSlowerFirst) {
  auto after = before;
  after.rows[0].sides[0] = side_of(0.5e-6);
  after.rows[1].sides[0] = side_of(1.2e-6);
  after.rows[2].sides[0] = side_of(1.5e-6);
  const Comparison comparison = compare_runs(before, after);
  EXPECT_TRUE(comparison.regressed);
  const auto scan = comparison.text.find("\nscan "), reduce = comparison.text.find("\nreduce "),
             bcast = comparison.text.find("\nbcast ");
  ASSERT_NE(bcast, std::string::npos);
  EXPECT_LT(scan, reduce);
  EXPECT_LT(reduce, bcast);
  EXPECT_NE(comparison.text.find("2 became slower, 1 faster"), std::string::npos);
}

// A machine that is slow today slows both sides down.
TEST(Compare, IsNotMisledByTheMachine) {
  auto after = before;
  for (Row& row : after.rows)
    for (SideResult& side : row.sides) side = side_of(2 * side.seconds.front());
  EXPECT_FALSE(compare_runs(before, after).regressed);
}

TEST(Compare, TakesWrongResultsForARegression) {
  auto after = before;
  after.rows[1].sides[0].wrong_calls = 1;
  EXPECT_TRUE(compare_runs(before, after).regressed);
}

// Both runs at one time of the MPI: a call of 1 us became one of 1.5 us, and the machine twice as slow.
TEST(Compare, TellsThePriceOfReproducibleSums) {
  auto after = before;
  after.setting.reproducible = true;
  after.rows[1].sides = {side_of(3e-6), side_of(4e-6)};
  const Comparison comparison = compare_runs(before, after);
  EXPECT_FALSE(comparison.regressed);
  EXPECT_NE(comparison.text.find("+50%"), std::string::npos) << comparison.text;
  EXPECT_NE(comparison.text.find("+0%"), std::string::npos) << comparison.text;
  EXPECT_THROW(compare_runs(after, before), std::runtime_error);
}

TEST(Compare, RefusesRunsThatDiffer) {
  auto other = before;
  other.setting.ranks = 4;
  EXPECT_THROW(compare_runs(before, other), std::runtime_error);
  EXPECT_THROW(compare_runs(before, run_of({row_of("gather", 8, 1, 1)})), std::runtime_error);
}

}  // namespace
}  // namespace xylem::tools

#include "bench/record.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "bench/html/page.hpp"
#include "bench/table.hpp"
#include "bench_runs.hpp"

namespace xylem::tools {
namespace {

TEST(Row, ComparesRoundByRound) {
  Row row = row_of("bcast", 8, 1e-6, 2e-6);
  // Both sides are ten times slower in half of the rounds: the machine was, and the ratio is what it was.
  for (SideResult& side : row.sides)
    for (std::size_t round = 0; round < side.seconds.size(); round += 2) side.seconds[round] *= 10;
  EXPECT_DOUBLE_EQ(row.ratio(1), 2);
  EXPECT_DOUBLE_EQ(row.ratio_interval(1).low, 2);
  EXPECT_DOUBLE_EQ(row.ratio_interval(1).high, 2);
}

TEST(Row, IsSlowerOnlyWithCertainty) {
  EXPECT_TRUE(slower(row_of("bcast", 8, 2e-6, 1e-6)));
  EXPECT_TRUE(faster(row_of("bcast", 8, 1e-6, 2e-6)));
  EXPECT_FALSE(slower(row_of("bcast", 8, 1.01e-6, 1e-6)));
  Row unsure = row_of("bcast", 8, 1.2e-6, 1e-6);
  for (std::size_t round = 0; round < 19; ++round) unsure.sides[1].seconds[round] *= 2;
  EXPECT_FALSE(slower(unsure));
  EXPECT_FALSE(faster(unsure));
}

TEST(Row, IsMeasuredByItsFastestPeer) {
  Row row = row_of("bcast", 8, 1e-6, 2e-6);
  row.sides.push_back(side_of(0.5e-6));
  EXPECT_EQ(row.best_peer(), 2u);
  EXPECT_TRUE(slower(row));
}

TEST(Run, ComesBackFromJson) {
  auto run = run_of({row_of("bcast", 8, 1e-6, 2e-6), row_of("barrier", 0, 1e-6, 3e-6)});
  run.rows[0].sides[0].wrong_calls = 3;
  run.rows[0].sides[1].calls.add(1.5e-6);
  run.rows[0].cut_short = true;
  Row& left_out = run.rows.emplace_back();
  left_out.collective = "alltoall";
  left_out.left_out = "too long";
  const auto back = run_from_json(to_json(run));
  EXPECT_EQ(to_json(back), to_json(run));
  EXPECT_EQ(back.rows[0].sides[0].seconds, run.rows[0].sides[0].seconds);
  EXPECT_EQ(back.rows[0].sides[1].calls.counts(), run.rows[0].sides[1].calls.counts());
  EXPECT_TRUE(back.rows[0].cut_short);
  EXPECT_FALSE(back.rows[2].measured());
  EXPECT_EQ(back.limits.line_seconds, run.limits.line_seconds);
}

TEST(Run, IsNotMadeOfOtherText) {
  for (const char* text : {"", "{", "[]", "{\"lines\": []}"}) EXPECT_THROW(run_from_json(text), std::runtime_error) << text;
}

TEST(Table, TellsWhatIsLeftOutAndCutShort) {
  auto run = run_of({row_of("bcast", 8, 1e-6, 2e-6)});
  run.rows[0].cut_short = true;
  EXPECT_NE(table_row(run, run.rows[0]).find("2.00     2.00-2.00  cut short (40 rounds)"), std::string::npos)
      << table_row(run, run.rows[0]);
  EXPECT_NE(table_row(run, run.rows[0]).find("50%"), std::string::npos);
  Row left_out;
  left_out.collective = "alltoall";
  left_out.left_out = "too long";
  EXPECT_NE(table_row(run, left_out).find("not measured: too long"), std::string::npos);
}

TEST(Page, NamesLossesFirstAndNeedsNothingElse) {
  const std::string page = html_page({run_of({row_of("bcast", 8, 1e-6, 2e-6), row_of("scatter", 1024, 4e-6, 1e-6)})});
  const auto losses = page.find("Where Xylem is slower"), loss = page.find("<td>scatter</td>"),
             win = page.find("<td>bcast</td>");
  ASSERT_NE(loss, std::string::npos);
  EXPECT_LT(losses, loss);
  EXPECT_LT(loss, page.find("Ratio by collective"));
  EXPECT_GT(win, page.find("Ratio by collective"));
  for (const char* outside : {"http:", "https:", "src=", "href=", "@import", "url("})
    EXPECT_EQ(page.find(outside), std::string::npos);
  EXPECT_NE(page.find("prefers-color-scheme:dark"), std::string::npos);
  EXPECT_NE(page.find("MPICH &lt;4>"), std::string::npos);
}

}  // namespace
}  // namespace xylem::tools

// What the tuner makes of its samples, and of the file that is there already.
#include <gtest/gtest.h>

#include "plan/catalogue.hpp"
#include "tune/merge.hpp"
#include "tune/selection.hpp"

namespace xylem::tools {
namespace {

using coll::Collective;

std::uint32_t find(const std::string& name) {
  for (std::uint32_t i = 0; i < plan::catalogue().size(); ++i) {
    if (plan::catalogue()[i].collective == Collective::allreduce && name == plan::catalogue()[i].name) return i;
  }
  throw std::logic_error("no such algorithm: " + name);
}

TEST(Selection, TakesWhatIsClearlyFaster) {
  const std::vector<double> slow = {10, 11, 10, 12, 10, 11, 10}, fast = {8, 9, 8, 9, 8, 8, 9};
  EXPECT_TRUE(clearly_faster(fast, slow));
  EXPECT_FALSE(clearly_faster(slow, fast));
  EXPECT_FALSE(clearly_faster({}, {}));
}

TEST(Selection, TakesNoneForAFewPercent) { EXPECT_FALSE(clearly_faster({9.7, 9.7, 9.7, 9.7, 9.7}, {10, 10, 10, 10, 10})); }

TEST(Selection, TakesNoneThatAHiccupOfTheOtherMade) {
  // Faster by its median, but in three rounds of seven only.
  EXPECT_FALSE(clearly_faster({9, 9, 9, 9, 9, 9, 9}, {8, 8, 30, 8, 30, 30, 30}));
}

TEST(Selection, KeepsTheIncumbentInDoubt) {
  const std::vector<Contender> close = {{0, 0, {10, 10, 10}}, {1, 0, {9.8, 9.8, 9.8}}};
  EXPECT_EQ(select(close, 0), 0U);
  EXPECT_EQ(select(close, 1), 1U);
  const std::vector<Contender> apart = {{0, 0, {10, 10, 10}}, {1, 0, {5, 5, 5}}, {2, 0, {7, 7, 7}}};
  EXPECT_EQ(select(apart, 0), 1U);
}

TEST(Selection, MakesRulesForWhatWasMeasured) {
  const std::uint32_t flat = find("flat"), ring = find("ring");
  std::string text;
  for (const plan::Rule& rule :
       rules_of(Collective::allreduce, 1, 4, {{8, flat, 0}, {1024, flat, 0}, {4096, ring, 0}, {65536, ring, 8192}}))
    text += plan::print_rule(rule) + "\n";
  EXPECT_EQ(text,
            "allreduce 0-2K hosts=1 ranks=4: flat\n"
            "allreduce 2K-16K hosts=1 ranks=4: ring\n"
            "allreduce 16K-64K hosts=1 ranks=4: ring chunk=8K\n");
  const auto alike = rules_of(Collective::allreduce, 1, 2, {{8, flat, 0}, {64, flat, 0}});
  ASSERT_EQ(alike.size(), 1U);
  EXPECT_EQ(plan::print_rule(alike.front()), "allreduce 0-64 hosts=1 ranks=2: flat");
  const auto from_nothing = rules_of(Collective::allreduce, 1, 2, {{0, flat, 0}, {64, ring, 0}});
  ASSERT_EQ(from_nothing.size(), 2U);
  EXPECT_EQ(from_nothing[0].bytes, (plan::RuleRange{0, 0}));
  EXPECT_EQ(from_nothing[1].bytes, (plan::RuleRange{0, 64}));
}

TEST(Selection, MakesOneRuleOfACollectiveWithoutSizes) {
  const auto only = rules_of(Collective::barrier, 2, 4, {{0, 0, 0}});
  EXPECT_EQ(only.front().bytes, plan::RuleRange{});
}

std::vector<plan::Rule> rules(const std::string& text) { return plan::parse_rules(text).rules; }

TEST(Merge, MakesAFileOfNothing) {
  EXPECT_EQ(merge_rules("", rules("allreduce hosts=1 ranks=2: flat"), "2 ranks"),
            "# xylem tune: 2 ranks\nallreduce hosts=1 ranks=2: flat\n");
}

TEST(Merge, ReplacesWhatWasTunedForTheSameJob) {
  const std::string before =
      "# xylem tune: 2 ranks\nallreduce 0-8 hosts=1 ranks=2: ring\nallreduce 8- hosts=1 ranks=2: flat\n";
  EXPECT_EQ(merge_rules(before, rules("allreduce hosts=1 ranks=2: flat"), "again"),
            "# xylem tune: again\nallreduce hosts=1 ranks=2: flat\n");
}

TEST(Merge, KeepsEverythingElse) {
  const std::string before =
      "# mine\nbcast: ring  # always\n\n# xylem tune: 2 ranks\nallreduce 0-8 hosts=1 ranks=2: ring\n"
      "barrier hosts=1 ranks=2: flat\n\n# xylem tune: 4 ranks\nallreduce hosts=1 ranks=4: flat\n"
      "allreduce hosts=1 ranks=2: ring, bcast hosts=1: flat\n";
  EXPECT_EQ(merge_rules(before, rules("allreduce hosts=1 ranks=2: flat"), "again"),
            "# xylem tune: again\nallreduce hosts=1 ranks=2: flat\n\n# mine\nbcast: ring  # always\n\n"
            "# xylem tune: 2 ranks\nbarrier hosts=1 ranks=2: flat\n\n# xylem tune: 4 ranks\nallreduce hosts=1 ranks=4: flat\n"
            "bcast hosts=1: flat\n");
}

TEST(Merge, IsTheSameTwice) {
  const auto two = rules("allreduce hosts=1 ranks=2: flat");
  const std::string once = merge_rules("bcast: ring\n", two, "x");
  EXPECT_EQ(merge_rules(once, two, "x"), once);
}

}  // namespace
}  // namespace xylem::tools

// The text of rules, and how the planner follows them.
#include "plan/rules.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plan/planner.hpp"

namespace xylem::plan {
namespace {

using coll::Collective;
using testing::HasSubstr;

std::string name_of(std::uint32_t algorithm) { return catalogue()[algorithm].name; }

TEST(Rules, SayWhatTheySay) {
  const RuleSet set =
      parse_rules("# of a test\nallreduce 0-4K hosts=1 ranks=2-8: flat chunk=32K\n\nbcast 1M- : ring # late\n");
  ASSERT_TRUE(set.complaints.empty());
  ASSERT_EQ(set.rules.size(), 2U);
  const Rule& first = set.rules[0];
  EXPECT_EQ(first.collective, Collective::allreduce);
  EXPECT_EQ(first.bytes, (RuleRange{0, 4096}));
  EXPECT_EQ(first.hosts, (RuleRange{1, 1}));
  EXPECT_EQ(first.ranks, (RuleRange{2, 8}));
  EXPECT_EQ(name_of(first.algorithm), "flat");
  EXPECT_EQ(first.chunk_bytes, 32768U);
  EXPECT_EQ(set.rules[1].bytes, (RuleRange{1 << 20, RuleRange::kNoEnd}));
  EXPECT_EQ(set.rules[1].hosts, RuleRange{});
  EXPECT_EQ(set.rules[1].chunk_bytes, 0U);
}

TEST(Rules, ArePrintedAsTheyAreRead) {
  for (const char* text : {"allreduce 0-4K hosts=1 ranks=2-8: flat chunk=32K", "bcast 1M-: ring", "barrier: flat",
                           "scan 8 ranks=3-: chain", "allreduce hosts=2-: ring"}) {
    const RuleSet set = parse_rules(text);
    ASSERT_EQ(set.rules.size(), 1U) << text;
    EXPECT_EQ(print_rule(set.rules[0]), text);
  }
}

TEST(Rules, StandBetweenCommasToo) {
  const RuleSet set = parse_rules("allreduce:ring,bcast 0-8:flat,,");
  ASSERT_EQ(set.rules.size(), 2U);
  EXPECT_EQ(print_rule(set.rules[1]), "bcast 0-8: flat");
}

TEST(Rules, AreRefusedByLineAndToken) {
  struct Wrong {
    const char *text, *token, *why;
  };
  for (const Wrong& wrong : {Wrong{"alreduce: ring", "alreduce", "names no collective"},
                             {"allreduce: rnig", "rnig", "names no algorithm; there are flat, "},
                             {"allreduce ring", "allreduce ring", "is not of the form collective:algorithm"},
                             {"allreduce :", "allreduce :", "is not of the form"},
                             {": ring", ": ring", "is not of the form"},
                             {"allreduce 4K-0: ring", "4K-0", "is no range"},
                             {"allreduce -4K: ring", "-4K", "is no range"},
                             {"allreduce 0-4Q: ring", "0-4Q", "is no range"},
                             {"allreduce hosts=: ring", "hosts=", "is no range"},
                             {"allreduce host=1: ring", "host=1", "is no condition"},
                             {"allreduce: ring chunk=x", "chunk=x", "is no option"},
                             {"allreduce: ring slots=4", "slots=4", "is no option"},
                             {"allreduce: r\x1b[1m\xff", "r\\x1b[1m\\xff", "names no algorithm"}}) {
    const RuleSet set = parse_rules(std::string("bcast: flat\n") + wrong.text + "\nbcast: ring\n");
    ASSERT_EQ(set.complaints.size(), 1U) << wrong.text;
    EXPECT_EQ(set.complaints[0].line, 2U);
    EXPECT_EQ(set.complaints[0].token, wrong.token);
    EXPECT_THAT(set.complaints[0].why, HasSubstr(wrong.why));
    EXPECT_EQ(set.rules.size(), 2U);
  }
}

constexpr Shape kShape{.ranks = 4, .ranks_per_host = 4, .slot_bytes = 64 << 10, .board_bytes = 64 << 10};

std::string choice(const std::string& forced, const std::string& tuned, std::size_t bytes) {
  const Planner planner(kShape, forced, 0, tuned);
  const Plan plan = planner.choose(Collective::allreduce, bytes, 4);
  return name_of(plan.algorithm) + " " + std::to_string(plan.chunk_bytes >> 10U) + "K";
}

TEST(Planner, FollowsTheFirstRuleThatFits) {
  const std::string tuned = "allreduce 0-1K: ring\nallreduce 0-4K: two_phase\nallreduce 0- ranks=5-: double_binary_tree\n";
  EXPECT_EQ(choice("", tuned, 1024), "ring 64K");
  EXPECT_EQ(choice("", tuned, 1025), "two_phase 64K");
  EXPECT_EQ(choice("", tuned, 4097), choice("", "", 4097));
}

TEST(Planner, TakesWhatIsForcedBeforeWhatIsTuned) {
  EXPECT_EQ(choice("allreduce:split_tree", "allreduce: ring", 8), "split_tree 64K");
  EXPECT_EQ(choice("allreduce 9-:split_tree", "allreduce: ring", 8), "ring 64K");
}

TEST(Planner, TakesTheChunkOfARule) {
  EXPECT_EQ(choice("", "allreduce: ring chunk=16K", 1 << 20), "ring 16K");
  // No more than a slot holds.
  EXPECT_EQ(choice("", "allreduce: ring chunk=1M", 1 << 20), "ring 64K");
  EXPECT_EQ(Planner(kShape, "", 4096, "allreduce: ring chunk=16K").choose(Collective::allreduce, 8, 4).chunk_bytes, 4096U);
}

TEST(Planner, PassesOverARuleThatCannotRun) {
  Shape two_hosts = kShape;
  two_hosts.hosts = 2;
  const Planner planner(two_hosts, "", 0, "allreduce: flat\nallreduce: ring\n");
  const Candidate best = planner.explain(Collective::allreduce, 8, 4).front();
  EXPECT_EQ(name_of(best.algorithm), "ring");
  EXPECT_EQ(best.reason, "the tuning file: allreduce: ring");
}

}  // namespace
}  // namespace xylem::plan

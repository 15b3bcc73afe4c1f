#include "flight/diagnose.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace xylem::flight {
namespace {

using testing::HasSubstr;
using testing::Not;

Entry entry(std::uint32_t rank, std::uint64_t entered, std::uint64_t left) {
  Entry made{.communicator = 0x1f,
             .ranks = 3,
             .rank = rank,
             .host = "b",
             .pid = 100,
             .entered = entered,
             .left = left,
             .left_ago = 2.125};
  made.calls = {{1411, "bcast(count 8, double, root 0)"}};
  if (entered == 1412) made.calls[1412] = "allreduce(count 1, double, sum)";
  return made;
}

TEST(Entry, IsReadAsItWasPrintedAlsoInTheMiddleOfALine) {
  Entry full = entry(2, 1412, 1411);
  full.ended = true;
  full.awaits = 1;
  full.waits_for = 61.5;
  for (const Entry& each : {full, entry(0, 0, 0), Entry{.communicator = ~std::uint64_t{0}, .ranks = 1, .host = "h"}}) {
    EXPECT_EQ(parse(print(each)), each) << print(each);
    EXPECT_EQ(parse("[3] " + print(each)), each);
  }
}

TEST(Entry, OtherLinesAreNone) {
  for (const char* line :
       {"", "xylem: warn: rank 1 on h: text", "xylem: record: ", "xylem: record: rank", "xylem: record: rank=x ranks=2",
        "xylem: record: rank=2 ranks=2", "xylem: record: rank=0 ranks=1 calls=\"x\""})
    EXPECT_EQ(parse(line), std::nullopt) << line;
}

TEST(Diagnose, SaysWhoHasNotCome) {
  Entry late = entry(2, 1411, 1411);
  Entry first = entry(0, 1412, 1411), second = entry(1, 1412, 1411);
  first.awaits = second.awaits = 2;
  first.waits_for = 2;
  const std::string text = diagnose(std::vector{first, second, late});
  EXPECT_THAT(text, HasSubstr("communicator 1f, 3 ranks: the furthest have entered allreduce(count 1, double, sum) #1412\n"
                              "  rank 2 on b has not entered allreduce(count 1, double, sum) #1412; last left bcast(count 8, "
                              "double, root 0) #1411 2.1 s ago\n"));
  EXPECT_THAT(text,
              HasSubstr("rank 0 on b is in allreduce(count 1, double, sum) #1412 and has waited 2.0 s for rank 2 on b\n"));
  EXPECT_THAT(text, Not(HasSubstr("nothing is known")));
}

TEST(Diagnose, SaysWhoHasEndedAndOfWhomNothingIsKnown) {
  Entry dead = entry(1, 1412, 1411);
  dead.ended = true;
  const std::string text = diagnose(std::vector{entry(1, 1412, 1411), dead});
  EXPECT_THAT(text, HasSubstr("rank 1 on b has ended in allreduce(count 1, double, sum) #1412; last left"));
  EXPECT_THAT(text, HasSubstr("nothing is known of rank 0, 2\n"));
}

TEST(Diagnose, LaterNewsCount) {
  const std::string text = diagnose(std::vector{entry(0, 1412, 1412), entry(0, 1411, 1411)});
  EXPECT_THAT(text, HasSubstr("rank 0 on b has left allreduce(count 1, double, sum) #1412 2.1 s ago"));
  EXPECT_EQ(diagnose({}), "");
  EXPECT_THAT(diagnose(std::vector{entry(0, 0, 0)}), HasSubstr("3 ranks: no call yet\n  rank 0 on b has begun none\n"));
}

}  // namespace
}  // namespace xylem::flight

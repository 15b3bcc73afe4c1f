// Calls that cannot succeed end in an error on every rank, with a text that tells who and what.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>
#include <set>

#include "rank_threads.hpp"

namespace xylem::test {
namespace {

using coll::Collective;
using testing::HasSubstr;

Call sum_of(std::vector<int>& data, std::size_t count) {
  return {Collective::allreduce, data.data(), data.data(), count, XYLEM_INT32, XYLEM_SUM};
}

TEST(Failures, DifferentCountsAreAMismatchOnBothSides) {
  run_ranks(2, [](Communicator& comm) {
    std::vector<int> data(64, 1);
    EXPECT_EQ(comm.run(sum_of(data, 8 + comm.rank())), XYLEM_ERROR_MISMATCH);
    EXPECT_THAT(comm.error(), HasSubstr("allreduce(count " + std::to_string(8 + comm.rank()) + ", int32, sum), call 1"));
    EXPECT_THAT(comm.error(), HasSubstr("rank " + std::to_string(1 - comm.rank()) + " on host0 called allreduce(count " +
                                        std::to_string(9 - comm.rank()) + ", int32, sum) as its call 1"));
    // The communicator stays refused, and says the same.
    EXPECT_EQ(comm.run(sum_of(data, 8)), XYLEM_ERROR_MISMATCH);
  });
}

TEST(Failures, DifferentCollectivesOfOneSizeAreAMismatch) {
  run_ranks(2, [](Communicator& comm) {
    std::vector<int> data(64, 1);
    Call call = sum_of(data, 16);
    if (comm.rank() == 1) call.op = XYLEM_MAX;
    EXPECT_EQ(comm.run(call), XYLEM_ERROR_MISMATCH);
  });
}

// Rank 1 calls something else than the others; what they call next is the same. At the latest then all of them fail, and who
// found out names both calls.
struct Difference {
  const char* name;
  Call (*call)(std::vector<int>& data, std::size_t count, bool different);
};
const Difference kDifferences[] = {
    {"Collective",
     [](std::vector<int>& data, std::size_t count, bool different) {
       return different ? Call{.collective = Collective::bcast,
                               .input = data.data(),
                               .output = data.data(),
                               .count = count,
                               .type = XYLEM_INT32}
                        : sum_of(data, count);
     }},
    {"Count",
     [](std::vector<int>& data, std::size_t count, bool different) { return sum_of(data, different ? count / 2 : count); }},
    {"Operation",
     [](std::vector<int>& data, std::size_t count, bool different) {
       Call call = sum_of(data, count);
       if (different) call.op = XYLEM_MAX;
       return call;
     }},
    {"Type",
     [](std::vector<int>& data, std::size_t count, bool different) {
       Call call = sum_of(data, count);
       if (different) call.type = XYLEM_FLOAT;
       return call;
     }},
    {"Root",
     [](std::vector<int>& data, std::size_t count, bool different) {
       return Call{.collective = Collective::bcast,
                   .input = data.data(),
                   .output = data.data(),
                   .count = count,
                   .type = XYLEM_INT32,
                   .root = different ? 1U : 0U};
     }},
};

class Different : public testing::TestWithParam<Difference> {};

TEST_P(Different, IsAnErrorThatNamesBoth) {
  for (const int ranks : {2, 3}) {
    for (const std::size_t count : {8, 200'000}) {
      std::mutex mutex;
      int found = 0;
      run_ranks(ranks, [&](Communicator& comm) {
        std::vector<int> data(count, 1), other(count, 1);
        const Call own = GetParam().call(data, count, comm.rank() == 1);
        const Call theirs = GetParam().call(other, count, comm.rank() != 1);
        xylem_status status = comm.run(own);
        if (status == XYLEM_SUCCESS) status = comm.run({.collective = Collective::barrier});
        ASSERT_NE(status, XYLEM_SUCCESS) << "rank " << comm.rank() << " of " << ranks << ", count " << count;
        if (status != XYLEM_ERROR_MISMATCH) return;
        const std::lock_guard lock(mutex);
        ++found;
        EXPECT_THAT(comm.error(), HasSubstr(describe(own, comm.size())));
        EXPECT_THAT(comm.error(), HasSubstr("called " + describe(theirs, comm.size()) + " as its call 1"));
      });
      EXPECT_GE(found, 1) << ranks << " ranks, count " << count;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Calls, Different, testing::ValuesIn(kDifferences),
                         [](const auto& param) { return std::string(param.param.name); });

TEST(Failures, SendsAndReceivesAreNoCollective) {
  run_ranks(2,
            [](Communicator& comm) {
              std::vector<int> data(64, 1);
              coll::Exchange exchange;
              exchange.sends.push_back({reinterpret_cast<std::byte*>(data.data()), 64, 1});
              Call call = sum_of(data, 16);
              if (comm.rank() == 0) call = {.collective = Collective::barrier, .exchange = &exchange};
              const xylem_status status = comm.run(call);
              if (comm.rank() == 0) return;  // it may have sent all before the other one complains
              EXPECT_EQ(status, XYLEM_ERROR_MISMATCH);
              EXPECT_THAT(comm.error(), HasSubstr("rank 0 on host0 called a group of sends and receives as its call 1"));
            },
            {}, {.algorithm = "allreduce:ring", .chunk_bytes = 0, .timeout_seconds = 0});
}

// One rank finds the mismatch, the others learn of it while they wait, and whose failure it is: over the network too.
void one_failure_ends_all(const Hosts& hosts) {
  std::mutex mutex;
  std::set<std::string> found;
  std::vector<std::string> learned;
  run_ranks(
      4,
      [&](Communicator& comm) {
        std::vector<int> data(200'000, 1);
        const xylem_status status = comm.run(sum_of(data, comm.rank() == 2 ? 100'000 : 200'000));
        const std::lock_guard lock(mutex);
        if (status == XYLEM_ERROR_MISMATCH) {
          found.insert("rank " + std::to_string(comm.rank()) + " on ");
        } else {
          EXPECT_EQ(status, XYLEM_ERROR_PEER_FAILED) << xylem_status_string(status);
          learned.push_back(comm.error());
        }
      },
      hosts);
  EXPECT_EQ(found.size() + learned.size(), 4U);
  for (const std::string& error : learned) {
    EXPECT_TRUE(std::any_of(found.begin(), found.end(), [&](const std::string& rank) {
      return error.find("ranks: " + rank) != std::string::npos;
    })) << error;
    EXPECT_THAT(error, HasSubstr("gave up this communicator"));
  }
}

TEST(Failures, OfOneRankEndTheWaitOfAll) { one_failure_ends_all({}); }

TEST(Failures, OfOneRankEndTheWaitOfAllHosts) {
  one_failure_ends_all({0, 0, 1, 1});
  one_failure_ends_all({0, 1, 2, 3});
}

// With XYLEM_TIMEOUT a rank that does not come is an error, which names it.
TEST(Failures, ALateRankIsNamedWhenTheTimeIsUp) {
  run_ranks(2,
            [](Communicator& comm) {
              if (comm.rank() == 1) return;
              std::vector<int> data(8, 1);
              EXPECT_EQ(comm.run(sum_of(data, 8)), XYLEM_ERROR_TIMEOUT);
              EXPECT_THAT(comm.error(), HasSubstr("rank 1 on host0 did not come within XYLEM_TIMEOUT"));
            },
            {}, {.algorithm = "", .chunk_bytes = 0, .timeout_seconds = 0.05});
}

TEST(Failures, WrongRulesAreSaidAndLeftOut) {
  const plan::Planner planner({.ranks = 2, .slot_bytes = 1024, .board_bytes = 1024},
                              "allreduce:ring,allreduce:rings,alreduce:ring,bcast", 0);
  EXPECT_THAT(planner.complaints(), HasSubstr("'rings' names no algorithm; there are flat, two_phase"));
  EXPECT_THAT(planner.complaints(), HasSubstr("'alreduce' names no collective"));
  EXPECT_THAT(planner.complaints(), HasSubstr("'bcast' is not of the form"));
  EXPECT_STREQ(plan::catalogue()[planner.choose(Collective::allreduce, 8, 4).algorithm].name, "ring");
}

}  // namespace
}  // namespace xylem::test

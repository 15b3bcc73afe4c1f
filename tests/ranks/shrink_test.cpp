// Giving up and going on, with ranks as threads: one that ends its communicator without a word is lost to the others.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <set>

#include "handles.hpp"

namespace xylem::test {
namespace {

using testing::HasSubstr;

xylem_status sum(xylem_comm_t comm, int own, int& result) {
  return xylem_allreduce(&own, &result, 1, XYLEM_INT32, XYLEM_SUM, comm, XYLEM_STREAM_NONE);
}

void expect_works(xylem_comm_t comm, int rank, int ranks) {
  int own_rank = 0, own_ranks = 0;
  EXPECT_EQ(xylem_comm_rank(comm, &own_rank), XYLEM_SUCCESS);
  EXPECT_EQ(xylem_comm_size(comm, &own_ranks), XYLEM_SUCCESS);
  EXPECT_EQ(own_rank, rank);
  EXPECT_EQ(own_ranks, ranks);
  std::vector<long> data(20'000);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<long>(i) + rank;
  ASSERT_EQ(xylem_allreduce(XYLEM_IN_PLACE, data.data(), data.size(), XYLEM_INT64, XYLEM_SUM, comm, XYLEM_STREAM_NONE),
            XYLEM_SUCCESS)
      << xylem_last_error();
  for (std::size_t i = 0; i < data.size(); ++i)
    ASSERT_EQ(data[i], static_cast<long>(i) * ranks + ranks * (ranks - 1) / 2) << i;
}

class Shrink : public testing::TestWithParam<Hosts> {};

TEST_P(Shrink, WhoLivesGoesOn) {
  const Hosts hosts = GetParam();
  const int ranks = static_cast<int>(hosts.size());
  for (const std::set<int>& lost : {std::set<int>{0}, std::set<int>{ranks - 1}, std::set<int>{1, 2}}) {
    // Who gives a communicator up ends calls of others that have not come to their end yet.
    std::barrier together(ranks);
    run_handles(
        ranks,
        [&](xylem_comm_t& comm, int rank) {
          expect_works(comm, rank, ranks);
          if (lost.contains(rank)) together.arrive_and_drop();
          if (lost.contains(rank)) return;
          int place = 0;
          for (int each = 0; each < rank; ++each) place += lost.contains(each) ? 0 : 1;
          together.arrive_and_wait();
          xylem_comm_t survivors = nullptr;
          ASSERT_EQ(xylem_comm_shrink(comm, &survivors), XYLEM_SUCCESS) << xylem_last_error();
          expect_works(survivors, place, ranks - static_cast<int>(lost.size()));
          int result = 0;
          EXPECT_EQ(sum(comm, 1, result), XYLEM_ERROR_PEER_FAILED);
          xylem_comm_t again = nullptr;
          EXPECT_EQ(xylem_comm_shrink(comm, &again), XYLEM_ERROR_INVALID_ARGUMENT);
          EXPECT_EQ(again, nullptr);
          // It is a communicator like any other: it splits, and shrinks in turn.
          xylem_comm_t half = nullptr;
          ASSERT_EQ(xylem_comm_split(survivors, place % 2, 0, &half), XYLEM_SUCCESS) << xylem_last_error();
          EXPECT_EQ(xylem_comm_destroy(half), XYLEM_SUCCESS);
          together.arrive_and_wait();
          ASSERT_EQ(xylem_comm_shrink(survivors, &again), XYLEM_SUCCESS) << xylem_last_error();
          expect_works(again, place, ranks - static_cast<int>(lost.size()));
          together.arrive_and_wait();
          EXPECT_EQ(xylem_comm_destroy(again), XYLEM_SUCCESS);
          EXPECT_EQ(xylem_comm_destroy(survivors), XYLEM_SUCCESS);
        },
        hosts);
  }
}

// Ranks that wait in a call learn that others shrink, and can follow.
TEST_P(Shrink, EndsTheCallsOfOthers) {
  const Hosts hosts = GetParam();
  const int ranks = static_cast<int>(hosts.size());
  run_handles(
      ranks,
      [&](xylem_comm_t& comm, int rank) {
        int result = 0;
        if (rank != 0) {
          EXPECT_EQ(sum(comm, 1, result), XYLEM_ERROR_PEER_FAILED);
        }
        xylem_comm_t all = nullptr;
        ASSERT_EQ(xylem_comm_shrink(comm, &all), XYLEM_SUCCESS) << xylem_last_error();
        expect_works(all, rank, ranks);
        EXPECT_EQ(xylem_comm_destroy(all), XYLEM_SUCCESS);
      },
      hosts);
}

INSTANTIATE_TEST_SUITE_P(OneHost, Shrink, testing::Values(Hosts{0, 0, 0, 0}));
INSTANTIATE_TEST_SUITE_P(Hosts, Shrink, testing::Values(Hosts{0, 0, 1, 1}, Hosts{0, 1, 2, 3}));

// The use of abort: a thread that ends the wait of another one.
TEST(Abort, EndsAWaitFromAnotherThread) {
  for (const Hosts& hosts : {Hosts{0, 0, 0}, Hosts{0, 1, 2}}) {
    run_handles(
        3,
        [&](xylem_comm_t& comm, int rank) {
          xylem_status error = XYLEM_ERROR_INTERNAL;
          EXPECT_EQ(xylem_comm_get_async_error(comm, &error), XYLEM_SUCCESS);
          EXPECT_EQ(error, XYLEM_SUCCESS);
          if (rank == 2) {  // does not come, and learns of it all the same
            while (error == XYLEM_SUCCESS) EXPECT_EQ(xylem_comm_get_async_error(comm, &error), XYLEM_SUCCESS);
            EXPECT_EQ(error, XYLEM_ERROR_PEER_FAILED);
            EXPECT_THAT(xylem_last_error(), HasSubstr("rank 0 on host0 gave up this communicator"));
            return;
          }
          std::thread other;
          if (rank == 0) {
            other = std::thread([&] {
              std::this_thread::sleep_for(std::chrono::milliseconds(30));
              EXPECT_EQ(xylem_comm_abort(comm), XYLEM_SUCCESS);
            });
          }
          int result = 0;
          EXPECT_EQ(sum(comm, 1, result), XYLEM_ERROR_PEER_FAILED);
          EXPECT_THAT(xylem_last_error(), HasSubstr("call 1 of this communicator of 3 ranks: rank 0 on host0 gave up"));
          EXPECT_EQ(sum(comm, 1, result), XYLEM_ERROR_PEER_FAILED);
          EXPECT_EQ(xylem_comm_get_async_error(comm, &error), XYLEM_SUCCESS);
          EXPECT_EQ(error, XYLEM_ERROR_PEER_FAILED);
          if (other.joinable()) other.join();
        },
        hosts);
  }
}

TEST(Abort, EndsOutstandingCalls) {
  run_handles(2, [](xylem_comm_t& comm, int rank) {
    if (rank == 1) return;
    int own = 1, result = 0;
    xylem_request_t request = nullptr;
    ASSERT_EQ(xylem_iallreduce(&own, &result, 1, XYLEM_INT32, XYLEM_SUM, comm, XYLEM_STREAM_NONE, &request), XYLEM_SUCCESS);
    EXPECT_EQ(xylem_comm_abort(comm), XYLEM_SUCCESS);
    EXPECT_EQ(xylem_wait(&request), XYLEM_ERROR_PEER_FAILED);
  });
}

TEST(Abort, OfACommunicatorInUseByManyThreadsIsSafe) {
  for (int round = 0; round < 20; ++round) {
    run_handles(3, [&](xylem_comm_t& comm, int rank) {
      std::atomic<bool> over{false};
      std::thread other([&, rank] {
        xylem_status error = XYLEM_SUCCESS;
        while (!over && error == XYLEM_SUCCESS) xylem_comm_get_async_error(comm, &error);
        if (rank != 1) xylem_comm_abort(comm);
      });
      std::thread killer;
      if (rank == 1) killer = std::thread([&] { xylem_comm_abort(comm); });
      int result = 0;
      xylem_status status = XYLEM_SUCCESS;
      while ((status = sum(comm, 1, result)) == XYLEM_SUCCESS) EXPECT_EQ(result, 3);
      EXPECT_EQ(status, XYLEM_ERROR_PEER_FAILED);
      over = true;
      other.join();
      if (killer.joinable()) killer.join();
    });
  }
}

TEST(Abort, NullIsRefused) {
  xylem_status error = XYLEM_SUCCESS;
  EXPECT_EQ(xylem_comm_abort(nullptr), XYLEM_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(xylem_comm_get_async_error(nullptr, &error), XYLEM_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(xylem_comm_shrink(nullptr, nullptr), XYLEM_ERROR_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace xylem::test

// Communicators split off others: their members, their order, their independence.
#include <gtest/gtest.h>

#include "rank_threads.hpp"

namespace xylem::test {
namespace {

int sum_over(Communicator& comm, int value) {
  int sum = -1;
  EXPECT_EQ(comm.run({coll::Collective::allreduce, &value, &sum, 1, XYLEM_INT32, XYLEM_SUM}), XYLEM_SUCCESS) << comm.error();
  return sum;
}

TEST(Split, ByColorOrderedByKeyThenRank) {
  run_ranks(6, [](Communicator& comm) {
    const int rank = static_cast<int>(comm.rank());
    // Odd ranks and even ranks; the even ones in reverse.
    const std::unique_ptr<Communicator> part = comm.split(rank % 2, rank % 2 == 0 ? -rank : 0);
    ASSERT_NE(part, nullptr);
    EXPECT_EQ(part->size(), 3U);
    EXPECT_EQ(part->rank(), static_cast<std::uint32_t>(rank % 2 == 0 ? 2 - rank / 2 : rank / 2));
    EXPECT_EQ(sum_over(*part, rank), rank % 2 == 0 ? 0 + 2 + 4 : 1 + 3 + 5);
    EXPECT_EQ(sum_over(comm, 1), 6);
  });
}

TEST(Split, OfSomeRanksOnlyAndAgain) {
  run_ranks(5, [](Communicator& comm) {
    const int rank = static_cast<int>(comm.rank());
    const std::unique_ptr<Communicator> part = comm.split(rank == 3 ? -1 : 7, 0);
    EXPECT_EQ(part == nullptr, rank == 3);
    if (part == nullptr) return;
    EXPECT_EQ(sum_over(*part, rank), 0 + 1 + 2 + 4);
    const std::unique_ptr<Communicator> half = part->split(static_cast<int>(part->rank()) / 2, 0);
    EXPECT_EQ(sum_over(*half, rank), part->rank() < 2 ? 0 + 1 : 2 + 4);
  });
}

// A child works on after its parent has ended, and while other ranks have ended theirs.
TEST(Split, OutlivesItsParent) {
  std::vector<std::unique_ptr<Communicator>> children(4);
  run_ranks(4, [&](Communicator& comm) { children[comm.rank()] = comm.split(0, 0); });
  std::vector<std::thread> threads;
  for (auto& child : children) {
    threads.emplace_back([&child] {
      EXPECT_EQ(sum_over(*child, static_cast<int>(child->rank())), 6);
      child.reset();
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(Split, ManyInARow) {
  run_ranks(3, [](Communicator& comm) {
    for (int round = 0; round < 300; ++round) {
      const std::unique_ptr<Communicator> copy = comm.split(0, static_cast<int>(comm.rank()));
      ASSERT_EQ(sum_over(*copy, round), 3 * round);
    }
  });
}

}  // namespace
}  // namespace xylem::test

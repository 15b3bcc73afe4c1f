// What a communicator keeps of calls it has seen must be right for each call that comes after.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "comm/statistics.hpp"
#include "rank_threads.hpp"

namespace xylem::test {
namespace {

using coll::Collective;

// More kinds of calls than are kept, each again and again, in an order in which they drive each other out.
TEST(CallKinds, ManyInTurn) {
  constexpr std::size_t kLongest = 120;
  run_ranks(3, [](Communicator& comm) {
    const auto rank = static_cast<int>(comm.rank());
    for (int round = 0; round < 3; ++round) {
      for (std::size_t count = 0; count <= kLongest; ++count) {
        std::vector<int> in(count), out(count, -1);
        std::iota(in.begin(), in.end(), rank + round);
        for (const xylem_op op : {XYLEM_SUM, XYLEM_MAX}) {
          ASSERT_EQ(comm.run({Collective::allreduce, in.data(), out.data(), count, XYLEM_INT32, op}), XYLEM_SUCCESS)
              << comm.error();
          for (std::size_t i = 0; i < count; ++i) {
            const int first = static_cast<int>(i) + round;
            ASSERT_EQ(out[i], op == XYLEM_SUM ? 3 * first + 3 : first + 2) << "element " << i << " of " << count;
          }
        }
        const auto root = static_cast<std::uint32_t>(count % 3);
        std::vector<int> data(count, rank);
        ASSERT_EQ(comm.run({Collective::bcast, data.data(), data.data(), count, XYLEM_INT32, XYLEM_OP_COUNT, root}),
                  XYLEM_SUCCESS)
            << comm.error();
        ASSERT_EQ(data, std::vector<int>(count, static_cast<int>(root)));
      }
    }
  });
}

Call gather_of(const std::vector<std::size_t>& counts, std::uint32_t rank, const std::vector<int>& own,
               std::vector<int>& all) {
  Call call{.collective = Collective::allgatherv,
            .input = own.data(),
            .output = all.data(),
            .count = counts[rank],
            .type = XYLEM_INT32};
  call.received.counts = counts.data();
  return call;
}

// Blocks of other lengths with the same sum: one plan, but not one call.
TEST(CallKinds, BlocksOfOneSum) {
  run_ranks(2, [](Communicator& comm) {
    const std::uint32_t rank = comm.rank();
    const std::vector<int> own(3, static_cast<int>(rank) + 1);
    for (const std::vector<std::size_t>& counts : {std::vector<std::size_t>{1, 3}, {3, 1}, {2, 2}, {1, 3}}) {
      std::vector<int> all(4, -1), expected(counts[0], 1);
      expected.resize(4, 2);
      ASSERT_EQ(comm.run(gather_of(counts, rank, own, all)), XYLEM_SUCCESS) << comm.error();
      ASSERT_EQ(all, expected);
    }
    const std::vector<std::size_t> others = rank == 0 ? std::vector<std::size_t>{1, 3} : std::vector<std::size_t>{3, 1};
    std::vector<int> all(4);
    EXPECT_EQ(comm.run(gather_of(others, rank, own, all)), XYLEM_ERROR_MISMATCH);
  });
}

TEST(CallKinds, WhatXylemDoesForItselfIsNotCounted) {
  const std::string before = statistics_json();
  run_ranks(2, [&](Communicator& comm) {
    const std::unique_ptr<Communicator> part = comm.split(static_cast<int>(comm.rank()), 0);
    const std::unique_ptr<Communicator> copy = comm.split(0, 0);
    const std::unique_ptr<Communicator> alone = part->split(0, 0);
  });
  const auto collectives = [](const std::string& json) { return json.substr(json.find("\"collectives\"")); };
  EXPECT_EQ(collectives(statistics_json()), collectives(before));
}

}  // namespace
}  // namespace xylem::test

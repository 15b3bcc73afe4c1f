#include "bench/limits.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "bench/block_lengths.hpp"
#include "bench/histogram.hpp"
#include "bench/progress_line.hpp"

namespace xylem::tools {
namespace {

using coll::Collective;

TEST(Limits, CountWhatMustBeReadAndWritten) {
  constexpr std::size_t bytes = 100, ranks = 4;
  const std::pair<Collective, std::size_t> expected[] = {
      {Collective::allreduce, 800}, {Collective::reduce, 500},
      {Collective::bcast, 400},     {Collective::allgather, 2000},
      {Collective::alltoall, 3200}, {Collective::gather, 800},
      {Collective::scatter, 800},   {Collective::reduce_scatter_block, 2000},
      {Collective::scan, 800},      {Collective::exscan, 600},
      {Collective::barrier, 0},
  };
  for (const auto& [collective, traffic] : expected)
    EXPECT_EQ(least_traffic(collective, bytes, ranks), traffic) << coll::collective_name(collective);
}

Limits two_cores() {
  Limits limits;
  limits.cores = {0, 1};
  limits.cache_bytes = 1 << 20;
  limits.line_seconds = 1e-7;
  limits.switch_seconds = 1e-6;
  limits.in_cache = {10e9, 20e9};
  limits.in_memory = {5e9, 8e9};
  return limits;
}

TEST(Limits, ALineMustCrossOrACoreMustSwitch) {
  EXPECT_DOUBLE_EQ(least_seconds(two_cores(), Collective::barrier, 0, 2), 1e-7);
  EXPECT_DOUBLE_EQ(least_seconds(two_cores(), Collective::barrier, 0, 8), 3e-6);
  // Each of 8 ranks is root once in 8 calls, and needs the 3 others of its core then.
  EXPECT_NEAR(least_seconds(two_cores(), Collective::bcast, 1, 8), 0.5e-6, 1e-9);
  EXPECT_LT(least_seconds(two_cores(), Collective::scan, 1, 8), 1e-9);
}

TEST(Limits, BytesMoveAtTheRateOfAllCores) {
  // 2 x 2 x 100,000 bytes of traffic are 200,000 bytes copied, in the cache; 400 MB are not.
  EXPECT_DOUBLE_EQ(least_seconds(two_cores(), Collective::allreduce, 100'000, 2), 1e-7 + 200'000 / 20e9);
  EXPECT_DOUBLE_EQ(least_seconds(two_cores(), Collective::allreduce, 100'000'000, 2), 1e-7 + 200'000'000 / 8e9);
}

TEST(Limits, AreUnknownOfOneRankAndOfNothing) {
  EXPECT_EQ(least_seconds(two_cores(), Collective::allreduce, 8, 1), 0);
  EXPECT_EQ(least_seconds(two_cores(), Collective::allreduce, 0, 2), 0);
  EXPECT_EQ(least_seconds({}, Collective::allreduce, 8, 2), 0);
}

TEST(BlockLengths, KeepTheirMean) {
  EXPECT_EQ(block_lengths(10, 3, 0), (std::vector<std::size_t>{10, 10, 10}));
  EXPECT_EQ(block_lengths(10, 3, 1), (std::vector<std::size_t>{0, 10, 20}));
  EXPECT_EQ(block_lengths(10, 1, 1), (std::vector<std::size_t>{10}));
  for (const std::size_t ranks : {2u, 3u, 4u, 7u, 8u}) {
    for (const double imbalance : {0.1, 0.33, 0.5, 0.99}) {
      const auto lengths = block_lengths(1001, ranks, imbalance);
      EXPECT_EQ(std::accumulate(lengths.begin(), lengths.end(), std::size_t{0}), 1001 * ranks);
    }
  }
}

TEST(BlockLengths, AreTheSameOnBothSidesOfAnExchange) {
  const auto lengths = block_lengths(10, 5, 0.8);
  for (std::size_t one = 0; one < 5; ++one)
    for (std::size_t other = 0; other < 5; ++other)
      EXPECT_EQ(exchanged_lengths(lengths, one)[other], exchanged_lengths(lengths, other)[one]);
  EXPECT_EQ(block_offsets({3, 0, 4}), (std::vector<std::size_t>{0, 3, 3}));
}

TEST(Histogram, HasClassesThatAreTheSameInEveryRun) {
  Histogram histogram;
  for (const double seconds : {1.1e-6, 1.15e-6, 2.3e-6}) histogram.add(seconds);
  ASSERT_EQ(histogram.counts().size(), 2u);
  const auto [number, times] = *histogram.counts().begin();
  EXPECT_EQ(times, 2u);
  EXPECT_LE(Histogram::lower_bound(number), 1.1e-6);
  EXPECT_GT(Histogram::lower_bound(number + 1), 1.15e-6);
  EXPECT_EQ(bars(histogram, number - 1, number + Histogram::classes_per_octave), " █   ▄");
}

TEST(ProgressBar, TellsWhatIsLeft) {
  EXPECT_EQ(progress_bar(0, 0), "[........................]");
  EXPECT_EQ(progress_bar(0.5, 67), "[############............] 50%, 1:07 left");
  EXPECT_EQ(progress_bar(1, 5), "[########################] 100%, 0:00 left");
}

}  // namespace
}  // namespace xylem::tools

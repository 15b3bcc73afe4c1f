#include "samples.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace xylem::tools {
namespace {

TEST(Percentile, OfOneSampleIsThatSample) {
  EXPECT_EQ(percentile({3.5}, 0), 3.5);
  EXPECT_EQ(percentile({3.5}, 0.95), 3.5);
}

TEST(Percentile, NeedsNoOrder) {
  EXPECT_EQ(percentile({5, 1, 3}, 0.5), 3);
  EXPECT_EQ(percentile({5, 1, 3}, 0), 1);
  EXPECT_EQ(percentile({5, 1, 3}, 1), 5);
}

TEST(Percentile, InterpolatesBetweenNeighbours) {
  EXPECT_EQ(percentile({1, 2}, 0.5), 1.5);
  EXPECT_EQ(percentile({0, 10, 20, 30, 40}, 0.875), 35);
}

TEST(Percentile, OfNothingIsNoNumber) { EXPECT_TRUE(std::isnan(percentile({}, 0.5))); }

TEST(Summarize, GivesMedianP95AndLeast) {
  std::vector<double> samples;
  for (int i = 100; i >= 0; --i) samples.push_back(i);
  const Summary summary = summarize(samples);
  EXPECT_EQ(summary.median, 50);
  EXPECT_EQ(summary.p95, 95);
  EXPECT_EQ(summary.least, 0);
}

TEST(MedianInterval, IsMadeOfTheSamplesInTheMiddle) {
  std::vector<double> samples;
  for (int i = 99; i >= 0; --i) samples.push_back(i);
  const Interval interval = median_interval(samples);
  EXPECT_EQ(interval.low, 40);
  EXPECT_EQ(interval.high, 60);
}

TEST(MedianInterval, OfFewSamplesIsAllOfThem) {
  const Interval interval = median_interval({3, 1, 2});
  EXPECT_EQ(interval.low, 1);
  EXPECT_EQ(interval.high, 3);
  EXPECT_TRUE(std::isnan(median_interval({}).low));
}

TEST(Noisy, IsAWideSpread) {
  EXPECT_FALSE(noisy({.median = 2, .p95 = 4, .least = 1}));
  EXPECT_TRUE(noisy({.median = 2, .p95 = 4.1, .least = 1}));
}

}  // namespace
}  // namespace xylem::tools

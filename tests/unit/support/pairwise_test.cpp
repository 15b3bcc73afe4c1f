#include "support/pairwise.hpp"

#include <gtest/gtest.h>

#include <set>
#include <utility>

namespace xylem::test {
namespace {

constexpr auto everything = [](const auto&) { return true; };

template <std::size_t N>
std::set<std::array<std::size_t, 4>> pairs_in(const PairwiseSample<N>& sample) {
  std::set<std::array<std::size_t, 4>> pairs;
  for (const auto& chosen : sample.cases)
    for (std::size_t p = 0; p < N; ++p)
      for (std::size_t q = p + 1; q < N; ++q) pairs.insert({p, chosen[p], q, chosen[q]});
  return pairs;
}

TEST(Pairwise, CoversEveryPairOfValues) {
  const auto sample = sample_pairwise<4>({3, 5, 2, 4}, everything, 1);
  const std::size_t pairs = 3 * 5 + 3 * 2 + 3 * 4 + 5 * 2 + 5 * 4 + 2 * 4;
  EXPECT_EQ(sample.pairs, pairs);
  EXPECT_EQ(sample.covered, pairs);
  EXPECT_EQ(sample.impossible, 0u);
  EXPECT_EQ(pairs_in(sample).size(), pairs);
}

TEST(Pairwise, NeedsFarFewerCasesThanThereAreCombinations) {
  const auto sample = sample_pairwise<6>({4, 4, 4, 4, 4, 4}, everything, 7);
  EXPECT_EQ(sample.combinations, 4096u);
  EXPECT_GE(sample.cases.size(), 16u);
  EXPECT_LE(sample.cases.size(), 48u);
}

TEST(Pairwise, TakesOnlyValidCasesAndCountsWhatExcludesEachOther) {
  const auto unequal = [](const auto& chosen) { return chosen[0] != chosen[1]; };
  const auto sample = sample_pairwise<3>({3, 3, 2}, unequal, 3);
  for (const auto& chosen : sample.cases) EXPECT_NE(chosen[0], chosen[1]);
  EXPECT_EQ(sample.impossible, 3u);
  EXPECT_EQ(sample.covered, sample.pairs - 3);
}

TEST(Pairwise, DependsOnlyOnItsArguments) {
  const auto first = sample_pairwise<3>({5, 6, 7}, everything, 11);
  const auto second = sample_pairwise<3>({5, 6, 7}, everything, 11);
  const auto other = sample_pairwise<3>({5, 6, 7}, everything, 12);
  EXPECT_EQ(first.cases, second.cases);
  EXPECT_NE(first.cases, other.cases);
}

TEST(Pairwise, SaysWhatItCovers) {
  const auto sample = sample_pairwise<2>({1, 2}, everything, 1);
  EXPECT_EQ(sample.summary(), "2 cases of 2 combinations cover 2 of 2 pairs of values, 0 exclude each other");
}

}  // namespace
}  // namespace xylem::test

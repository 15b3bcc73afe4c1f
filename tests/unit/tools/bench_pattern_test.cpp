#include "bench/pattern.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace xylem::tools {
namespace {

template <class T>
std::vector<T> input(const Pattern& pattern, std::size_t first, std::size_t count, int rank, unsigned call) {
  std::vector<T> values(count);
  pattern.fill(values.data(), first, count, rank, call);
  return values;
}

TEST(BenchPattern, ElementsDependOnIndexRankAndCall) {
  const Pattern pattern("int", "sum", 3);
  const auto whole = input<int>(pattern, 0, 1000, 1, 5);
  EXPECT_EQ(input<int>(pattern, 400, 600, 1, 5), std::vector<int>(whole.begin() + 400, whole.end()));
  EXPECT_NE(input<int>(pattern, 0, 1000, 2, 5), whole);
  EXPECT_NE(input<int>(pattern, 0, 1000, 1, 6), whole);
}

// The sum of the ranks' inputs is what the check expects, and nothing else is.
TEST(BenchPattern, KnowsTheSumOverRanks) {
  constexpr int ranks = 5;
  constexpr std::size_t count = 777;
  const Pattern pattern("double", "sum", ranks);
  std::vector<double> sum(count);
  for (int rank = 0; rank < ranks; ++rank) {
    const auto values = input<double>(pattern, 30, count, rank, 9);
    for (std::size_t i = 0; i < count; ++i) sum[i] += values[i];
  }
  EXPECT_EQ(pattern.wrong_reduction(sum.data(), 30, count, 9), std::nullopt);
  EXPECT_EQ(pattern.wrong_reduction(sum.data(), 31, count, 9), 0u);
  EXPECT_EQ(pattern.wrong_reduction(sum.data(), 30, count, 8), 0u);
  sum[500] += 1;
  EXPECT_EQ(pattern.wrong_reduction(sum.data(), 30, count, 9), 500u);
}

TEST(BenchPattern, KnowsEveryOperation) {
  constexpr int ranks = 3;
  for (const char* op : {"prod", "max", "min"}) {
    const Pattern pattern("long", op, ranks);
    auto result = input<long>(pattern, 0, 300, 0, 1);
    for (int rank = 1; rank < ranks; ++rank) {
      const auto values = input<long>(pattern, 0, 300, rank, 1);
      for (std::size_t i = 0; i < result.size(); ++i) {
        if (op == std::string("prod")) result[i] *= values[i];
        if (op == std::string("max")) result[i] = std::max(result[i], values[i]);
        if (op == std::string("min")) result[i] = std::min(result[i], values[i]);
      }
    }
    EXPECT_EQ(pattern.wrong_reduction(result.data(), 0, 300, 1), std::nullopt) << op;
  }
}

TEST(BenchPattern, NoticesACopyInTheWrongPlace) {
  const Pattern pattern("float", "sum", 2);
  auto values = input<float>(pattern, 0, 4096, 1, 3);
  EXPECT_EQ(pattern.wrong_copy(values.data(), 0, values.size(), 1, 3), std::nullopt);
  EXPECT_EQ(pattern.wrong_copy(values.data(), 0, values.size(), 0, 3), 0u);
  // A chunk of 1024 elements where another one belongs.
  std::copy_n(values.begin(), 1024, values.begin() + 2048);
  EXPECT_EQ(pattern.wrong_copy(values.data(), 0, values.size(), 1, 3), 2048u);
}

TEST(BenchPattern, LooksAtTheLastElement) {
  const Pattern pattern("uint8", "max", 2);
  for (const std::size_t count : {1u, 250u, 251u, 252u, 502u, 503u}) {
    auto values = input<std::uint8_t>(pattern, 0, count, 0, 0);
    EXPECT_EQ(pattern.wrong_copy(values.data(), 0, count, 0, 0), std::nullopt);
    ++values.back();
    EXPECT_EQ(pattern.wrong_copy(values.data(), 0, count, 0, 0), count - 1);
  }
}

}  // namespace
}  // namespace xylem::tools

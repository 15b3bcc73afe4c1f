#include "exec/stream.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace xylem::exec {
namespace {

constexpr std::size_t kMargin = 64;
constexpr std::byte kGuard{0xa5};

// Whether `out` holds `expected` from `offset` on, and guard bytes elsewhere.
bool holds(const std::vector<std::byte>& out, std::size_t offset, const std::vector<std::byte>& expected) {
  const auto begin = out.begin() + static_cast<std::ptrdiff_t>(offset);
  const auto end = begin + static_cast<std::ptrdiff_t>(expected.size());
  const auto is_guard = [](std::byte byte) { return byte == kGuard; };
  return std::equal(begin, end, expected.begin()) && std::all_of(out.begin(), begin, is_guard) &&
         std::all_of(end, out.end(), is_guard);
}

TEST(Stream, CopiesAnySizeToAnyAlignment) {
  for (std::size_t bytes = 0; bytes <= 300; ++bytes) {
    std::vector<std::byte> in(bytes);
    for (std::size_t i = 0; i < bytes; ++i) in[i] = static_cast<std::byte>((i * 7 + i / 32) % 163);
    for (std::size_t offset = 0; offset < 64; offset += 3) {
      std::vector<std::byte> out(offset + bytes + kMargin, kGuard);
      stream_bytes(out.data() + offset, in.data(), bytes);
      ASSERT_TRUE(holds(out, offset, in)) << bytes << " bytes to offset " << offset;
    }
  }
}

// Inputs of small numbers, different in every place.
std::vector<std::vector<std::int32_t>> make_inputs(std::size_t inputs, std::size_t count) {
  std::vector<std::vector<std::int32_t>> result(inputs, std::vector<std::int32_t>(count));
  for (std::size_t input = 0; input < inputs; ++input) {
    for (std::size_t i = 0; i < count; ++i)
      result[input][i] = static_cast<std::int32_t>((i + 1) * (input + 3) * 1000003 % 65537);
  }
  return result;
}

TEST(Stream, ReducesAnyCountOfAnyInputsToAnyAlignment) {
  const ReduceFunction sum = find_reduce(XYLEM_SUM, XYLEM_INT32);
  for (const std::size_t inputs : {2, 3, 8}) {
    for (const std::size_t count : {0, 1, 15, 511, 512, 513, 1024, 2500}) {
      const auto values = make_inputs(inputs, count);
      std::vector<const void*> in;
      std::vector<std::byte> expected(count * sizeof(std::int32_t));
      for (const auto& input : values) {
        sum(expected.data(), expected.data(), input.data(), count);
        in.push_back(input.data());
      }
      for (const std::size_t offset : {0, 1, 4, 63}) {
        std::vector<std::byte> out(offset + expected.size() + kMargin, kGuard);
        stream_reduce(sum, sizeof(std::int32_t), out.data() + offset, in.data(), inputs, count);
        ASSERT_TRUE(holds(out, offset, expected)) << inputs << " inputs of " << count << " elements to offset " << offset;

        std::fill(out.begin(), out.end(), kGuard);
        reduce_many(sum, sizeof(std::int32_t), out.data() + offset, in.data(), inputs, count);
        ASSERT_TRUE(holds(out, offset, expected)) << inputs << " inputs of " << count << " elements to offset " << offset;
      }
    }
  }
}

// Sums of floats depend on the association.
TEST(ReduceMany, GoesFromLeftToRight) {
  const ReduceFunction sum = find_reduce(XYLEM_SUM, XYLEM_FLOAT);
  const std::vector<float> large(700, 0x1p24F);
  const std::vector<float> one(700, 1.0F);
  const void* in[] = {large.data(), one.data(), one.data(), one.data()};
  std::vector<float> out(700);
  reduce_many(sum, sizeof(float), out.data(), in, 4, out.size());
  EXPECT_EQ(out, large);  // each 1 is lost; 1 + 1 + 1 would not be
}

TEST(ReduceMany, WorksInPlaceOfTheFirstTwoInputs) {
  const ReduceFunction sum = find_reduce(XYLEM_SUM, XYLEM_INT32);
  const std::size_t count = 1000;
  const auto values = make_inputs(3, count);
  std::vector<std::int32_t> expected(count);
  for (std::size_t i = 0; i < count; ++i) expected[i] = values[0][i] + values[1][i] + values[2][i];
  for (const std::size_t place : {0, 1}) {
    auto copies = values;
    const void* in[] = {copies[0].data(), copies[1].data(), copies[2].data()};
    reduce_many(sum, sizeof(std::int32_t), copies[place].data(), in, 3, count);
    EXPECT_EQ(copies[place], expected) << "in place of input " << place;
  }
}

TEST(ReduceMany, TakesElementsOfAnySize) {
  const ReduceFunction maxloc = find_reduce(XYLEM_MAXLOC, XYLEM_LONG_DOUBLE_INT);
  struct LongDoubleInt {
    long double value;
    int index;
  };
  std::vector<LongDoubleInt> low(1000);
  std::vector<LongDoubleInt> high(1000);
  std::vector<LongDoubleInt> out(1000);
  std::vector<LongDoubleInt> streamed(1000);
  for (int i = 0; i < 1000; ++i) {
    low[static_cast<std::size_t>(i)] = {1.0L * i, i};
    high[static_cast<std::size_t>(i)] = {2.0L * i + 1, -i};
  }
  const void* in[] = {low.data(), high.data(), low.data()};
  reduce_many(maxloc, sizeof(LongDoubleInt), out.data(), in, 3, 1000);
  stream_reduce(maxloc, sizeof(LongDoubleInt), streamed.data(), in, 3, 1000);
  for (std::size_t i = 0; i < 1000; ++i) {
    ASSERT_TRUE(out[i].value == high[i].value && out[i].index == high[i].index) << i;
    ASSERT_TRUE(streamed[i].value == high[i].value && streamed[i].index == high[i].index) << i;
  }
}

}  // namespace
}  // namespace xylem::exec

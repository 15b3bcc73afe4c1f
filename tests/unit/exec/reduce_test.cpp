// Every operation on every type and every instruction set of this CPU against the reference, byte for byte.
#include "exec/reduce.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <tuple>
#include <vector>

#include "exec/reduce/table.hpp"
#include "reduce_inputs.hpp"
#include "reduce_reference.hpp"

namespace xylem::exec {
namespace {

using Bytes = std::vector<unsigned char>;

constexpr std::size_t kOffsets = 16;
constexpr unsigned char kGuard = 0xa5;

// A buffer at a chosen distance from a multiple of 64, with guard bytes around it.
class Buffer {
 public:
  Buffer(std::size_t bytes, std::size_t offset)
      : memory_(bytes + offset + 2 * kMargin, kGuard), bytes_(bytes), offset_(offset) {}

  unsigned char* data() {
    const auto start = reinterpret_cast<std::uintptr_t>(memory_.data());
    return memory_.data() + (64 - start % 64) + offset_;
  }
  void fill(const Bytes& from) { std::copy_n(from.begin(), bytes_, data()); }

  // Whether it holds the first bytes of `expected` and nothing around it was written.
  bool holds(const Bytes& expected) {
    const auto begin = memory_.begin() + (data() - memory_.data());
    const auto is_guard = [](unsigned char byte) { return byte == kGuard; };
    return std::equal(begin, begin + static_cast<std::ptrdiff_t>(bytes_), expected.begin()) &&
           std::all_of(memory_.begin(), begin, is_guard) &&
           std::all_of(begin + static_cast<std::ptrdiff_t>(bytes_), memory_.end(), is_guard);
  }

 private:
  static constexpr std::size_t kMargin = 64;
  Bytes memory_;
  std::size_t bytes_;
  std::size_t offset_;
};

Bytes expect(xylem_op op, xylem_type type, std::size_t count, const Bytes& left, const Bytes& right) {
  Bytes result(count * type_bytes(type));
  for (std::size_t at = 0; at < result.size(); at += type_bytes(type)) {
    test::reduce_one(op, type, result.data() + at, left.data() + at, right.data() + at);
  }
  return result;
}

std::string first_difference(const Bytes& got, const Bytes& expected, xylem_type type) {
  const auto at = static_cast<std::size_t>(std::mismatch(got.begin(), got.end(), expected.begin()).first - got.begin());
  return at == got.size() ? "guard bytes" : "element " + std::to_string(at / type_bytes(type));
}

class ReduceTest : public testing::TestWithParam<std::tuple<InstructionSet, int>> {
 protected:
  static InstructionSet set() { return std::get<0>(GetParam()); }
  static xylem_op op() { return static_cast<xylem_op>(std::get<1>(GetParam())); }

  // Calls `check(type, function)` for the types that the operation is defined on.
  template <class Check>
  static void for_each_type(Check check) {
    for (int i = 0; i < XYLEM_TYPE_COUNT; ++i) {
      const auto type = static_cast<xylem_type>(i);
      SCOPED_TRACE(std::string(op_name(op())) + " of " + type_name(type));
      const ReduceFunction function = find_reduce(op(), type, set());
      ASSERT_EQ(function != nullptr, test::is_defined(op(), type));
      if (function != nullptr) check(type, function);
    }
  }
};

TEST_P(ReduceTest, AnyCountAtAnyAlignment) {
  for_each_type([](xylem_type type, ReduceFunction function) {
    constexpr std::size_t kCount = 67;
    test::Random random(static_cast<std::uint64_t>(type));
    const Bytes left = test::draw_elements(type, type_bytes(type), kCount, random);
    const Bytes right = test::draw_elements(type, type_bytes(type), kCount, random);
    const Bytes expected = expect(op(), type, kCount, left, right);
    for (std::size_t offset = 0; offset < kOffsets; ++offset) {
      for (std::size_t count = 0; count <= kCount; ++count) {
        const std::size_t bytes = count * type_bytes(type);
        Buffer left_buffer(bytes, offset);
        Buffer right_buffer(bytes, (3 * offset + 1) % kOffsets);
        Buffer out(bytes, (5 * offset + 2) % kOffsets);
        left_buffer.fill(left);
        right_buffer.fill(right);
        function(out.data(), left_buffer.data(), right_buffer.data(), count);
        ASSERT_TRUE(out.holds(expected)) << count << " elements, offset " << offset;
        ASSERT_TRUE(left_buffer.holds(left) && right_buffer.holds(right)) << "an operand was written";
      }
    }
  });
}

TEST_P(ReduceTest, ManyElements) {
  for_each_type([](xylem_type type, ReduceFunction function) {
    constexpr std::size_t kCount = 5003;
    test::Random random(100 + static_cast<std::uint64_t>(type));
    const Bytes left = test::draw_elements(type, type_bytes(type), kCount, random);
    const Bytes right = test::draw_elements(type, type_bytes(type), kCount, random);
    const Bytes expected = expect(op(), type, kCount, left, right);
    Bytes out(expected.size());
    function(out.data(), left.data(), right.data(), kCount);
    ASSERT_EQ(out == expected, true) << first_difference(out, expected, type);
  });
}

TEST_P(ReduceTest, OutIsAnOperand) {
  for_each_type([](xylem_type type, ReduceFunction function) {
    constexpr std::size_t kCount = 301;
    test::Random random(200 + static_cast<std::uint64_t>(type));
    const Bytes left = test::draw_elements(type, type_bytes(type), kCount, random);
    const Bytes right = test::draw_elements(type, type_bytes(type), kCount, random);
    const Bytes expected = expect(op(), type, kCount, left, right);

    Bytes in_left = left;
    function(in_left.data(), in_left.data(), right.data(), kCount);
    ASSERT_EQ(in_left == expected, true) << "out is left: " << first_difference(in_left, expected, type);

    Bytes in_right = right;
    function(in_right.data(), left.data(), in_right.data(), kCount);
    ASSERT_EQ(in_right == expected, true) << "out is right: " << first_difference(in_right, expected, type);

    const Bytes expected_both = expect(op(), type, kCount, left, left);
    Bytes in_both = left;
    function(in_both.data(), in_both.data(), in_both.data(), kCount);
    ASSERT_EQ(in_both == expected_both, true) << "out is both: " << first_difference(in_both, expected_both, type);
  });
}

std::string case_name(const testing::TestParamInfo<ReduceTest::ParamType>& info) {
  return std::string(instruction_set_name(std::get<0>(info.param))) + "_" +
         op_name(static_cast<xylem_op>(std::get<1>(info.param)));
}

std::vector<InstructionSet> supported_sets() {
  std::vector<InstructionSet> sets = {InstructionSet::baseline, InstructionSet::avx2, InstructionSet::avx512};
  std::erase_if(sets, [](InstructionSet set) { return !supported(set); });
  return sets;
}

INSTANTIATE_TEST_SUITE_P(All, ReduceTest,
                         testing::Combine(testing::ValuesIn(supported_sets()),
                                          testing::Range(0, static_cast<int>(XYLEM_OP_COUNT))),
                         case_name);

TEST(ReduceCoverage, TheBestInstructionSetsAreTested) {
  if (!supported(InstructionSet::avx512)) GTEST_SKIP() << "this CPU has no avx512: those reductions were not tested";
}

// The rules of operations.hpp, with numbers to look at.
template <class T>
T reduce_values(xylem_op op, xylem_type type, T left, T right) {
  T out{};
  find_reduce(op, type)(&out, &left, &right, 1);
  return out;
}

TEST(ReduceRules, IntegersWrap) {
  EXPECT_EQ(reduce_values<std::int32_t>(XYLEM_SUM, XYLEM_INT32, INT32_MAX, 1), INT32_MIN);
  EXPECT_EQ(reduce_values<std::uint16_t>(XYLEM_PROD, XYLEM_UINT16, 0xffff, 0xffff), 1);
  EXPECT_EQ(reduce_values<std::int8_t>(XYLEM_SUM, XYLEM_INT8, -128, -1), 127);
}

TEST(ReduceRules, UnsignedTypesCompareUnsigned) {
  EXPECT_EQ(reduce_values<std::uint32_t>(XYLEM_MAX, XYLEM_UINT32, 0x80000000U, 1), 0x80000000U);
  EXPECT_EQ(reduce_values<std::int32_t>(XYLEM_MAX, XYLEM_INT32, INT32_MIN, 1), 1);
  EXPECT_EQ(reduce_values<std::uint8_t>(XYLEM_MIN, XYLEM_UINT8, 200, 100), 100);
}

TEST(ReduceRules, ANanWinsOnBothSides) {
  const double nan = std::nan("7");
  for (const xylem_op op : {XYLEM_SUM, XYLEM_PROD, XYLEM_MAX, XYLEM_MIN}) {
    EXPECT_TRUE(std::isnan(reduce_values(op, XYLEM_DOUBLE, nan, 1.0))) << op_name(op);
    EXPECT_TRUE(std::isnan(reduce_values(op, XYLEM_DOUBLE, 1.0, nan))) << op_name(op);
  }
}

TEST(ReduceRules, ZerosAreOrdered) {
  EXPECT_FALSE(std::signbit(reduce_values(XYLEM_MAX, XYLEM_DOUBLE, -0.0, 0.0)));
  EXPECT_FALSE(std::signbit(reduce_values(XYLEM_MAX, XYLEM_DOUBLE, 0.0, -0.0)));
  EXPECT_TRUE(std::signbit(reduce_values(XYLEM_MIN, XYLEM_DOUBLE, -0.0, 0.0)));
  EXPECT_TRUE(std::signbit(reduce_values(XYLEM_MIN, XYLEM_DOUBLE, 0.0, -0.0)));
}

TEST(ReduceRules, ValuesOutOfRangeFindNothing) {
  EXPECT_EQ(find_reduce(XYLEM_OP_COUNT, XYLEM_INT32), nullptr);
  EXPECT_EQ(find_reduce(XYLEM_SUM, XYLEM_TYPE_COUNT), nullptr);
  EXPECT_EQ(find_reduce(static_cast<xylem_op>(-1), XYLEM_INT32), nullptr);
  EXPECT_EQ(find_reduce(XYLEM_SUM, static_cast<xylem_type>(-1)), nullptr);
}

}  // namespace
}  // namespace xylem::exec

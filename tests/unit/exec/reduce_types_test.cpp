// Sizes and names of types and operations, and the 16-bit formats number by number.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "exec/element_types.hpp"
#include "exec/reduce.hpp"
#include "exec/reduce/table.hpp"
#include "reduce_reference.hpp"

#if defined(__x86_64__)
#include "exec/reduce/f16c.hpp"
#endif

namespace xylem::exec {
namespace {

TEST(ReduceTypes, HaveTheSizesOfTheCTypes) {
  EXPECT_EQ(type_bytes(XYLEM_INT8), 1U);
  EXPECT_EQ(type_bytes(XYLEM_UINT64), 8U);
  EXPECT_EQ(type_bytes(XYLEM_FLOAT16), 2U);
  EXPECT_EQ(type_bytes(XYLEM_BFLOAT16), 2U);
  EXPECT_EQ(type_bytes(XYLEM_FLOAT8_E4M3), 1U);
  EXPECT_EQ(type_bytes(XYLEM_FLOAT8_E5M2), 1U);
  EXPECT_EQ(type_bytes(XYLEM_LONG_DOUBLE), sizeof(long double));
  EXPECT_EQ(type_bytes(XYLEM_COMPLEX_FLOAT), sizeof(std::complex<float>));
  EXPECT_EQ(type_bytes(XYLEM_COMPLEX_LONG_DOUBLE), sizeof(std::complex<long double>));
  EXPECT_EQ(type_bytes(XYLEM_BOOL), sizeof(bool));
  EXPECT_EQ(type_bytes(XYLEM_LOGICAL32), 4U);
  EXPECT_EQ(type_bytes(XYLEM_BYTE), 1U);
  struct ShortInt {
    short value;
    int index;
  };
  struct LongInt {
    long value;
    int index;
  };
  struct LongDoubleInt {
    long double value;
    int index;
  };
  EXPECT_EQ(type_bytes(XYLEM_SHORT_INT), sizeof(ShortInt));
  EXPECT_EQ(type_bytes(XYLEM_LONG_INT), sizeof(LongInt));
  EXPECT_EQ(type_bytes(XYLEM_LONG_DOUBLE_INT), sizeof(LongDoubleInt));
  EXPECT_EQ(type_bytes(XYLEM_DOUBLE_DOUBLE), 2 * sizeof(double));
  EXPECT_EQ(type_bytes(XYLEM_TYPE_COUNT), 0U);
  EXPECT_EQ(type_bytes(static_cast<xylem_type>(-1)), 0U);
}

TEST(ReduceTypes, HaveNamesOfTheirOwn) {
  std::set<std::string> types;
  for (int type = 0; type < XYLEM_TYPE_COUNT; ++type) types.insert(type_name(static_cast<xylem_type>(type)));
  EXPECT_EQ(types.size(), static_cast<std::size_t>(XYLEM_TYPE_COUNT));
  std::set<std::string> ops;
  for (int op = 0; op < XYLEM_OP_COUNT; ++op) ops.insert(op_name(static_cast<xylem_op>(op)));
  EXPECT_EQ(ops.size(), static_cast<std::size_t>(XYLEM_OP_COUNT));
  EXPECT_STREQ(type_name(XYLEM_INT32), "int32");
  EXPECT_STREQ(type_name(XYLEM_DOUBLE_DOUBLE), "double_double");
  EXPECT_STREQ(type_name(XYLEM_BYTE), "byte");
  EXPECT_STREQ(op_name(XYLEM_LXOR), "lxor");
  EXPECT_STREQ(type_name(XYLEM_TYPE_COUNT), "?");
  EXPECT_STREQ(op_name(static_cast<xylem_op>(-1)), "?");
}

std::uint32_t bits_of(float value) { return __builtin_bit_cast(std::uint32_t, value); }

// Floats that lie at and around every place where rounding to 16 bits changes, and a sample of all others.
std::vector<float> floats_to_narrow() {
  std::vector<float> floats;
  for (std::uint32_t upper = 0; upper <= 0xffff; ++upper) {
    for (const std::uint32_t lower : {0x0000U, 0x0001U, 0x0fffU, 0x1000U, 0x1001U, 0x2fffU, 0x3000U, 0x7fffU, 0x8000U,
                                      0x8001U, 0x9000U, 0xb000U, 0xd000U, 0xf000U, 0xffffU}) {
      floats.push_back(__builtin_bit_cast(float, upper << 16U | lower));
    }
  }
  return floats;
}

template <class T>
void check_narrow_type(test::NarrowFormat format, std::uint16_t quiet) {
  for (std::uint32_t bits = 0; bits <= 0xffff; ++bits) {
    const T value{static_cast<std::uint16_t>(bits)};
    const bool nan = test::is_narrow_nan(value.bits, format);
    const std::uint16_t expected = nan ? value.bits | quiet : value.bits;
    ASSERT_EQ(T::from_float(value.to_float()).bits, expected) << std::hex << bits;
    if (!nan) {
      ASSERT_EQ(bits_of(value.to_float()), bits_of(test::widen(value.bits, format))) << std::hex << bits;
    }
  }
  for (const float value : floats_to_narrow()) {
    if (value != value) {
      ASSERT_TRUE(test::is_narrow_nan(T::from_float(value).bits, format)) << std::hex << bits_of(value);
    } else {
      ASSERT_EQ(T::from_float(value).bits, test::narrow(value, format)) << std::hex << bits_of(value);
    }
  }
}

TEST(ReduceTypes, HalfConverts) { check_narrow_type<Half>(test::kBinary16, 0x0200); }
template <class T>
void check_float8(test::Float8Format format) {
  for (std::uint32_t bits = 0; bits <= 0xff; ++bits) {
    const T value{static_cast<std::uint8_t>(bits)};
    const double expected = test::widen(value.bits, format);
    if (std::isnan(expected)) {
      ASSERT_TRUE(value.to_float() != value.to_float()) << std::hex << bits;
      const std::uint32_t quiet = format.infinities ? bits | 2U : bits;
      ASSERT_EQ(T::from_float(value.to_float()).bits, quiet) << std::hex << bits;
    } else {
      ASSERT_EQ(bits_of(value.to_float()), bits_of(static_cast<float>(expected))) << std::hex << bits;
      ASSERT_EQ(T::from_float(value.to_float()).bits, bits) << std::hex << bits;
    }
  }
  // Between any two neighbours: their mean, and the floats on both sides of it.
  for (std::uint32_t bits = 0; bits < (format.infinities ? 0x7cU : 0x7fU); ++bits) {
    const auto low = static_cast<float>(test::widen(static_cast<std::uint8_t>(bits), format));
    const auto high = static_cast<float>(test::widen(static_cast<std::uint8_t>(bits + 1), format));
    const float mean = std::isfinite(high) ? low + (high - low) / 2 : low * 1.0625F;
    for (const float value : {mean, std::nextafter(mean, 0.0F), std::nextafter(mean, 1e9F), 2 * mean, 1e9F}) {
      ASSERT_EQ(T::from_float(value).bits, test::narrow(value, format)) << value;
      ASSERT_EQ(T::from_float(-value).bits, test::narrow(-value, format)) << -value;
    }
  }
}

TEST(ReduceTypes, Float8E4M3Converts) {
  check_float8<Float8E4M3>(test::kE4M3);
  EXPECT_EQ(Float8E4M3{0x7e}.to_float(), 448.0F);
  EXPECT_EQ(Float8E4M3::from_float(464.0F).bits, 0x7e);
  EXPECT_EQ(Float8E4M3::from_float(465.0F).bits, 0x7f);
  EXPECT_EQ(Float8E4M3{0x01}.to_float(), 0x1p-9F);
}
TEST(ReduceTypes, Float8E5M2Converts) {
  check_float8<Float8E5M2>(test::kE5M2);
  EXPECT_EQ(Float8E5M2{0x7b}.to_float(), 57344.0F);
  EXPECT_EQ(Float8E5M2::from_float(61439.0F).bits, 0x7b);
  EXPECT_EQ(Float8E5M2::from_float(61440.0F).bits, 0x7c);
  EXPECT_EQ(Float8E5M2{0x01}.to_float(), 0x1p-16F);
}
TEST(ReduceTypes, BFloat16Converts) { check_narrow_type<BFloat16>(test::kBrain16, 0x0040); }

#if defined(__x86_64__)
TEST(ReduceTypes, HalfConvertsAsTheInstructionsDo) {
  if (!supported(InstructionSet::avx2)) GTEST_SKIP() << "this CPU has no F16C";
  std::vector<Half> halves;
  for (std::uint32_t bits = 0; bits <= 0xffff; ++bits) halves.push_back({static_cast<std::uint16_t>(bits)});
  std::vector<float> wide(halves.size());
  widen_f16c(wide.data(), reinterpret_cast<const std::byte*>(halves.data()), halves.size());
  for (std::size_t i = 0; i < halves.size(); ++i) ASSERT_EQ(bits_of(wide[i]), bits_of(halves[i].to_float())) << std::hex << i;

  const std::vector<float> floats = floats_to_narrow();
  std::vector<Half> narrow(floats.size());
  narrow_f16c(reinterpret_cast<std::byte*>(narrow.data()), floats.data(), floats.size());
  for (std::size_t i = 0; i < floats.size(); ++i) {
    ASSERT_EQ(narrow[i].bits, Half::from_float(floats[i]).bits) << std::hex << bits_of(floats[i]);
  }
}
#endif

}  // namespace
}  // namespace xylem::exec

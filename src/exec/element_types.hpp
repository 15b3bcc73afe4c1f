// The C++ types behind xylem_type, for the CPU and for CUDA alike, and how they are read and written at any alignment.
#pragma once

#include <cfloat>
#include <tuple>
#include <type_traits>

#include "exec/platform.hpp"
#include "xylem/xylem.h"

namespace xylem::exec {

// IEEE binary16, computed in float. The conversions give the same bits as the F16C instructions: NaNs are made quiet and
// keep the upper bits of their payload, and neither direction depends on the thread's flush-to-zero modes.
struct Half {
  std::uint16_t bits;

  XYLEM_HD float to_float() const {
    const std::uint32_t magnitude = bits & 0x7fffU;
#if defined(__CUDACC__)
    // Exact; but all NaNs become one.
    float converted;
    asm("cvt.f32.f16 %0, %1;" : "=f"(converted) : "h"(bits));
    if (magnitude <= 0x7c00U) return converted;
#endif
    const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000U) << 16U;
    const std::uint32_t normal = (magnitude << 13U) + ((127U - 15U) << 23U);
    const std::uint32_t subnormal = __builtin_bit_cast(std::uint32_t, static_cast<float>(magnitude) * 0x1p-24F);
    const std::uint32_t infinity_or_nan = 0x7f800000U | (magnitude << 13U) | (magnitude > 0x7c00U ? 0x00400000U : 0U);
    const std::uint32_t value = magnitude < 0x0400U ? subnormal : magnitude < 0x7c00U ? normal : infinity_or_nan;
    return __builtin_bit_cast(float, sign | value);
  }

  // Rounds to nearest, ties to even.
  XYLEM_HD static Half from_float(float value) {
    const std::uint32_t word = __builtin_bit_cast(std::uint32_t, value);
    const std::uint32_t magnitude = word & 0x7fffffffU;
#if defined(__CUDACC__)
    std::uint16_t converted;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(converted) : "f"(value));
    const std::uint32_t nan_bits = ((word >> 16U) & 0x8000U) | 0x7e00U | ((magnitude >> 13U) & 0x03ffU);
    return {magnitude > 0x7f800000U ? static_cast<std::uint16_t>(nan_bits) : converted};
#else
    // Rounds at bit 13; a carry out of the mantissa moves on to the next exponent, at the end to infinity.
    const std::uint32_t normal = (magnitude + 0xfffU + ((magnitude >> 13U) & 1U) - ((127U - 15U) << 23U)) >> 13U;
    // Beside 0.5 the last bit of a float is worth 2^-24, as in a subnormal half: the addition does the rounding.
    const std::uint32_t subnormal = __builtin_bit_cast(std::uint32_t, __builtin_bit_cast(float, magnitude) + 0.5F) & 0x7fffU;
    const std::uint32_t nan = 0x7e00U | ((magnitude >> 13U) & 0x03ffU);
    const std::uint32_t rounded = magnitude < 0x38800000U   ? subnormal
                                  : magnitude < 0x477ff000U ? normal
                                  : magnitude > 0x7f800000U ? nan
                                                            : 0x7c00U;
    return {static_cast<std::uint16_t>(((word >> 16U) & 0x8000U) | rounded)};
#endif
  }
};

// The upper half of a float, computed in float.
struct BFloat16 {
  std::uint16_t bits;

  XYLEM_HD float to_float() const { return __builtin_bit_cast(float, static_cast<std::uint32_t>(bits) << 16U); }
  XYLEM_HD static BFloat16 from_float(float value) { return {static_cast<std::uint16_t>(rounded_word(value) >> 16U)}; }

  // The upper half of this word is `value` rounded to nearest, ties to even; the lower half has no meaning. NaNs are made
  // quiet and keep the upper bits of their payload.
  XYLEM_HD static std::uint32_t rounded_word(float value) {
    const std::uint32_t word = __builtin_bit_cast(std::uint32_t, value);
    const std::uint32_t rounded = word + 0x7fffU + ((word >> 16U) & 1U);
    const bool nan = value != value;  // NOLINT(misc-redundant-expression)
    return nan ? word | 0x00400000U : rounded;
  }
};

// The 8-bit formats of the Open Compute Project, computed in float, with kFraction bits behind the point. E5M2 is the upper
// half of a binary16 number. E4M3 has no infinities, and one NaN of each sign: numbers too large for it become NaN, as those
// too large for E5M2 become infinite.
template <unsigned kFraction>
struct Float8 {
  std::uint8_t bits;

  XYLEM_HD float to_float() const {
    const std::uint32_t magnitude = bits & 0x7fU;
    const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x80U) << 24U;
    const std::uint32_t normal = (magnitude << kShift) + kRebias;
    // The last digit of a subnormal number is a power of two: its float's bits moved into the exponent.
    const auto subnormal = __builtin_bit_cast(
        std::uint32_t, static_cast<float>(magnitude) * __builtin_bit_cast(float, kSmallestNormal - (kFraction << 23U)));
    const std::uint32_t special = 0x7f800000U | (magnitude << kShift) | (magnitude > kInfinity ? 0x00400000U : 0U);
    const std::uint32_t value = magnitude < (1U << kFraction) ? subnormal : magnitude < kSpecial ? normal : special;
    return __builtin_bit_cast(float, sign | value);
  }

  // Rounds to nearest, ties to even. NaNs are made quiet and keep the upper bits of their payload.
  XYLEM_HD static Float8 from_float(float value) {
    const std::uint32_t word = __builtin_bit_cast(std::uint32_t, value);
    const std::uint32_t magnitude = word & 0x7fffffffU;
    // As Half does; a carry out of the largest number gives kSpecial.
    const std::uint32_t normal = (magnitude + ((1U << (kShift - 1)) - 1) + ((magnitude >> kShift) & 1U) - kRebias) >> kShift;
    // Beside this number the last bit of a float is worth the last digit of a subnormal Float8: the addition does the
    // rounding.
    const float beside = __builtin_bit_cast(float, kSmallestNormal + ((23U - kFraction) << 23U));
    const std::uint32_t subnormal = __builtin_bit_cast(std::uint32_t, __builtin_bit_cast(float, magnitude) + beside) & 0x7fU;
    const std::uint32_t nan = kQuietNan | ((magnitude >> kShift) & ((1U << kFraction) - 1));
    const std::uint32_t finite = normal < kSpecial ? normal : kSpecial;
    const std::uint32_t rounded = magnitude < kSmallestNormal ? subnormal
                                  : magnitude < kOutOfRange   ? finite
                                  : magnitude > 0x7f800000U   ? nan
                                                              : kSpecial;
    return {static_cast<std::uint8_t>(((word >> 24U) & 0x80U) | rounded)};
  }

 private:
  static constexpr bool kHasInfinity = kFraction == 2;
  static constexpr std::uint32_t kBias = kHasInfinity ? 15 : 7;
  static constexpr std::uint32_t kShift = 23 - kFraction;
  static constexpr std::uint32_t kRebias = (127 - kBias) << 23U;
  static constexpr std::uint32_t kSmallestNormal = (128 - kBias) << 23U;                // a float's bits
  static constexpr std::uint32_t kOutOfRange = (127 + (kHasInfinity ? 16 : 9)) << 23U;  // likewise: a power of two
  static constexpr std::uint32_t kInfinity = kHasInfinity ? 0x7cU : 0x7eU;              // NaNs are above
  static constexpr std::uint32_t kSpecial = kHasInfinity ? 0x7cU : 0x7fU;               // the first that is no finite number
  static constexpr std::uint32_t kQuietNan = kHasInfinity ? 0x7eU : 0x7fU;
};
using Float8E4M3 = Float8<3>;
using Float8E5M2 = Float8<2>;

template <class Real>
struct Complex {
  Real real;
  Real imaginary;
};

// C's _Bool and Fortran's LOGICAL: any value but zero is true. Never read as a C++ bool, which has two legal values only.
template <class Word>
struct Logical {
  Word word;
};

// The operands of MAXLOC and MINLOC, laid out as the C struct.
template <class Value, class Index>
struct Pair {
  Value value;
  Index index;
};

// By xylem_type.
using ElementTypes = std::tuple<std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t,
                                std::uint32_t, std::uint64_t, Half, BFloat16, Float8E4M3, Float8E5M2, float, double,
                                long double, Complex<float>, Complex<double>, Complex<long double>, Logical<std::uint8_t>,
                                Logical<std::uint8_t>, Logical<std::uint16_t>, Logical<std::uint32_t>, Logical<std::uint64_t>,
                                std::byte, Pair<float, int>, Pair<double, int>, Pair<long, int>, Pair<int, int>,
                                Pair<short, int>, Pair<long double, int>, Pair<float, float>, Pair<double, double>>;
static_assert(std::tuple_size_v<ElementTypes> == XYLEM_TYPE_COUNT);

template <std::size_t type>
using ElementType = std::tuple_element_t<type, ElementTypes>;
static_assert(std::is_same_v<ElementType<XYLEM_FLOAT>, float>);
static_assert(std::is_same_v<ElementType<XYLEM_COMPLEX_LONG_DOUBLE>, Complex<long double>>);
static_assert(std::is_same_v<ElementType<XYLEM_BYTE>, std::byte>);
static_assert(std::is_same_v<ElementType<XYLEM_DOUBLE_DOUBLE>, Pair<double, double>>);
static_assert(sizeof(bool) == sizeof(ElementType<XYLEM_BOOL>));

// A complex number is read part by part: read as one word, it would keep the compiler from vectorising.
template <class T>
XYLEM_HD T load_element(const std::byte* at) {
  if constexpr (requires(T value) { value.imaginary; }) {
    using Real = decltype(T::real);
    return {load_element<Real>(at), load_element<Real>(at + sizeof(Real))};
  } else {
    T value;
    __builtin_memcpy(&value, at, sizeof(T));
    return value;
  }
}

// The bytes of a number that carry its value: an x87 extended number has 10, and padding behind them.
template <class T>
inline constexpr std::size_t kValueBytes = sizeof(T);
template <>
inline constexpr std::size_t kValueBytes<long double> = LDBL_MANT_DIG == 64 ? 10 : sizeof(long double);

// Padding is written as zeros, so that equal results are equal bytes wherever they were computed.
template <class T>
XYLEM_HD void store_element(std::byte* at, const T& value) {
  if constexpr (kValueBytes<T> != sizeof(T)) {
    std::byte image[sizeof(T)] = {};
    __builtin_memcpy(image, &value, kValueBytes<T>);
    __builtin_memcpy(at, image, sizeof(T));
  } else {
    __builtin_memcpy(at, &value, sizeof(T));
  }
}
template <class Real>
XYLEM_HD void store_element(std::byte* at, const Complex<Real>& value) {
  store_element(at, value.real);
  store_element(at + sizeof(Real), value.imaginary);
}
template <class Value, class Index>
XYLEM_HD void store_element(std::byte* at, const Pair<Value, Index>& pair) {
  using Whole = Pair<Value, Index>;
  if constexpr (sizeof(Whole) != sizeof(Value) + sizeof(Index)) __builtin_memset(at, 0, sizeof(Whole));
  store_element(at, pair.value);
  store_element(at + offsetof(Whole, index), pair.index);
}

}  // namespace xylem::exec

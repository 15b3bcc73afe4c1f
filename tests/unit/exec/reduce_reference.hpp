// What a reduction gives, written a second time and in another way than src/exec/operations.hpp: one element at a time,
// integers in 128 bits, 16-bit numbers by exact arithmetic, NaNs and zeros by their bits. Slow, and sure.
#pragma once

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "xylem/xylem.h"

namespace xylem::test {

enum class Kind { integer, floating, complex, logical, byte, pair };

inline Kind kind_of(xylem_type type) {
  if (type <= XYLEM_UINT64) return Kind::integer;
  if (type <= XYLEM_LONG_DOUBLE) return Kind::floating;
  if (type <= XYLEM_COMPLEX_LONG_DOUBLE) return Kind::complex;
  if (type <= XYLEM_LOGICAL64) return Kind::logical;
  if (type == XYLEM_BYTE) return Kind::byte;
  return Kind::pair;
}

// The table of MPI-4.0 section 6.9.2.
inline bool is_defined(xylem_op op, xylem_type type) {
  const Kind kind = kind_of(type);
  switch (op) {
    case XYLEM_MAX:
    case XYLEM_MIN:
      return kind == Kind::integer || kind == Kind::floating;
    case XYLEM_SUM:
    case XYLEM_PROD:
      return kind == Kind::integer || kind == Kind::floating || kind == Kind::complex;
    case XYLEM_LAND:
    case XYLEM_LOR:
    case XYLEM_LXOR:
      return kind == Kind::integer || kind == Kind::logical;
    case XYLEM_BAND:
    case XYLEM_BOR:
    case XYLEM_BXOR:
      return kind == Kind::integer || kind == Kind::byte;
    default:
      return kind == Kind::pair;
  }
}

template <class T>
T read(const unsigned char* at) {
  T value;
  std::memcpy(&value, at, sizeof(T));
  return value;
}

template <class T>
void write(unsigned char* at, T value) {
  if constexpr (std::is_same_v<T, long double> && LDBL_MANT_DIG == 64) {
    std::memset(at, 0, sizeof(T));
    std::memcpy(at, &value, 10);
  } else {
    std::memcpy(at, &value, sizeof(T));
  }
}

// ---- Integers, logicals and bytes ----

__extension__ using Wide = __int128;
__extension__ using UnsignedWide = unsigned __int128;

template <class T>
void reduce_integer(xylem_op op, unsigned char* out, const unsigned char* left_at, const unsigned char* right_at) {
  const Wide left = read<T>(left_at);
  const Wide right = read<T>(right_at);
  UnsignedWide result = 0;
  switch (op) {
    case XYLEM_SUM:
      result = static_cast<UnsignedWide>(left) + static_cast<UnsignedWide>(right);
      break;
    case XYLEM_PROD:
      result = static_cast<UnsignedWide>(left) * static_cast<UnsignedWide>(right);
      break;
    case XYLEM_MAX:
      result = static_cast<UnsignedWide>(left > right ? left : right);
      break;
    case XYLEM_MIN:
      result = static_cast<UnsignedWide>(left < right ? left : right);
      break;
    case XYLEM_LAND:
      result = left != 0 && right != 0 ? 1 : 0;
      break;
    case XYLEM_LOR:
      result = left != 0 || right != 0 ? 1 : 0;
      break;
    case XYLEM_LXOR:
      result = (left != 0) != (right != 0) ? 1 : 0;
      break;
    case XYLEM_BAND:
      result = static_cast<UnsignedWide>(left) & static_cast<UnsignedWide>(right);
      break;
    case XYLEM_BOR:
      result = static_cast<UnsignedWide>(left) | static_cast<UnsignedWide>(right);
      break;
    default:
      result = static_cast<UnsignedWide>(left) ^ static_cast<UnsignedWide>(right);
      break;
  }
  write(out, static_cast<T>(result));
}

// ---- Floating point ----

// NaNs by their bits: is it one, and the same made quiet.
template <class T>
struct NanBits;
template <>
struct NanBits<float> {
  using Word = std::uint32_t;
  static constexpr Word kInfinity = 0x7f800000U;
  static constexpr Word kMagnitude = 0x7fffffffU;
  static constexpr Word kQuiet = 0x00400000U;
};
template <>
struct NanBits<double> {
  using Word = std::uint64_t;
  static constexpr Word kInfinity = 0x7ff0000000000000U;
  static constexpr Word kMagnitude = 0x7fffffffffffffffU;
  static constexpr Word kQuiet = 0x0008000000000000U;
};

template <class T>
bool reads_nan(const unsigned char* at) {
  if constexpr (std::is_same_v<T, long double>) {
    return std::isnan(read<long double>(at));
  } else {
    using Bits = NanBits<T>;
    return (read<typename Bits::Word>(at) & Bits::kMagnitude) > Bits::kInfinity;
  }
}

template <class T>
void copy_nan(unsigned char* out, const unsigned char* nan, bool quiet) {
  if constexpr (std::is_same_v<T, long double>) {
    write(out, read<long double>(nan));
  } else {
    using Bits = NanBits<T>;
    write(out, static_cast<typename Bits::Word>(read<typename Bits::Word>(nan) | (quiet ? Bits::kQuiet : 0)));
  }
}

template <class T>
void reduce_floating(xylem_op op, unsigned char* out, const unsigned char* left_at, const unsigned char* right_at) {
  const bool arithmetic = op == XYLEM_SUM || op == XYLEM_PROD;
  if (reads_nan<T>(left_at)) return copy_nan<T>(out, left_at, arithmetic);
  if (reads_nan<T>(right_at)) return copy_nan<T>(out, right_at, arithmetic);
  // volatile: computed when the test runs, as the code under test is.
  const volatile T left = read<T>(left_at);
  const volatile T right = read<T>(right_at);
  const T first = left;
  const T second = right;
  if (op == XYLEM_SUM) return write(out, static_cast<T>(left + right));
  if (op == XYLEM_PROD) return write(out, static_cast<T>(left * right));
  if (first == 0 && second == 0) {
    const bool negative =
        op == XYLEM_MAX ? std::signbit(first) && std::signbit(second) : std::signbit(first) || std::signbit(second);
    return write(out, negative ? -T{0} : T{0});
  }
  const bool left_is_larger = first > second;
  write(out, left_is_larger == (op == XYLEM_MAX) ? first : second);
}

// A 16-bit format: digits after the point of a normal number, and the exponent of 2 of the last digit of a subnormal one.
struct NarrowFormat {
  int fraction;
  int last_digit;
};
inline constexpr NarrowFormat kBinary16 = {10, -24};
inline constexpr NarrowFormat kBrain16 = {7, -133};

inline float widen(std::uint16_t bits, NarrowFormat format) {
  const int fraction_mask = (1 << format.fraction) - 1;
  const int exponent_mask = 0x7fff >> format.fraction;
  const int exponent = (bits >> format.fraction) & exponent_mask;
  const int fraction = bits & fraction_mask;
  const float sign = (bits & 0x8000) != 0 ? -1.0F : 1.0F;
  if (exponent == exponent_mask) return sign * std::numeric_limits<float>::infinity();
  if (exponent == 0) return sign * std::ldexp(static_cast<float>(fraction), format.last_digit);
  return sign * std::ldexp(static_cast<float>(fraction + fraction_mask + 1), format.last_digit + exponent - 1);
}

inline bool is_narrow_nan(std::uint16_t bits, NarrowFormat format) {
  return (bits & 0x7fff) > (0x7fff & ~((1 << format.fraction) - 1));
}

// Rounds a number that is no NaN to the nearest, ties to even.
inline std::uint16_t narrow(float value, NarrowFormat format) {
  const int sign = std::signbit(value) ? 0x8000 : 0;
  const int infinity = 0x7fff & ~((1 << format.fraction) - 1);
  const double magnitude = std::fabs(static_cast<double>(value));
  if (std::isinf(magnitude)) return static_cast<std::uint16_t>(sign | infinity);
  if (magnitude == 0) return static_cast<std::uint16_t>(sign);
  int exponent = 0;
  std::frexp(magnitude, &exponent);
  const int digit = std::max(exponent - 1 - format.fraction, format.last_digit);
  // So many units of the last digit; consecutive numbers have consecutive bits, across exponents too.
  const double units = std::nearbyint(std::ldexp(magnitude, -digit));
  const double bits = units + std::ldexp(digit - format.last_digit, format.fraction);
  return static_cast<std::uint16_t>(sign | (bits >= infinity ? infinity : static_cast<int>(bits)));
}

inline void reduce_narrow(xylem_op op, unsigned char* out, const unsigned char* left_at, const unsigned char* right_at,
                          NarrowFormat format) {
  const auto left = read<std::uint16_t>(left_at);
  const auto right = read<std::uint16_t>(right_at);
  const int quiet = 1 << (format.fraction - 1);
  if (is_narrow_nan(left, format)) return write(out, static_cast<std::uint16_t>(left | quiet));
  if (is_narrow_nan(right, format)) return write(out, static_cast<std::uint16_t>(right | quiet));
  unsigned char wide_left[sizeof(float)];
  unsigned char wide_right[sizeof(float)];
  unsigned char wide_out[sizeof(float)];
  write(wide_left, widen(left, format));
  write(wide_right, widen(right, format));
  reduce_floating<float>(op, wide_out, wide_left, wide_right);
  // Only infinities make a NaN of two numbers: the default one of the processor.
  const auto result = read<float>(wide_out);
  const int default_nan = static_cast<int>(read<std::uint32_t>(wide_out) >> 16U) & 0x8000;
  if (std::isnan(result)) return write(out, static_cast<std::uint16_t>(default_nan | (0x7fff & -quiet)));
  write(out, narrow(result, format));
}

// ---- 8-bit formats: their numbers one by one ----

struct Float8Format {
  int fraction;     // bits
  int bias;         // of the exponent
  bool infinities;  // else only the largest magnitude is no number, and is NaN
};
inline constexpr Float8Format kE4M3 = {3, 7, false};
inline constexpr Float8Format kE5M2 = {2, 15, true};

inline double widen(std::uint8_t bits, Float8Format format) {
  const int magnitude = bits & 0x7f, exponent = magnitude >> format.fraction;
  const int fraction = magnitude & ((1 << format.fraction) - 1);
  double value = std::ldexp(fraction + (exponent == 0 ? 0 : 1 << format.fraction),
                            (exponent == 0 ? 1 : exponent) - format.bias - format.fraction);
  if (format.infinities && magnitude == 0x7c) value = std::numeric_limits<double>::infinity();
  if (magnitude > (format.infinities ? 0x7c : 0x7e)) value = std::numeric_limits<double>::quiet_NaN();
  return bits >= 0x80 ? -value : value;
}

// The nearest number, of two the one with even bits. What would follow the largest number stands for all beyond.
inline std::uint8_t narrow(double value, Float8Format format) {
  const int sign = std::signbit(value) ? 0x80 : 0, beyond = format.infinities ? 0x7c : 0x7f;
  const double magnitude = std::fabs(value);
  const auto number = [&](int bits) {
    if (bits < beyond) return widen(static_cast<std::uint8_t>(bits), format);
    return 2 * widen(static_cast<std::uint8_t>(beyond - 1), format) - widen(static_cast<std::uint8_t>(beyond - 2), format);
  };
  int best = 0;
  for (int bits = 1; bits <= beyond; ++bits) {
    const double here = std::fabs(magnitude - number(bits)), there = std::fabs(magnitude - number(best));
    if (here < there || (here == there && bits % 2 == 0)) best = bits;
  }
  return static_cast<std::uint8_t>(sign | (magnitude > number(beyond) ? beyond : best));
}

inline void reduce_float8(xylem_op op, unsigned char* out, unsigned char left, unsigned char right, Float8Format format) {
  const unsigned char quiet = format.infinities ? 0x02 : 0x00;
  const double a = widen(left, format), b = widen(right, format);
  if (std::isnan(a)) return write(out, static_cast<unsigned char>(left | quiet));
  if (std::isnan(b)) return write(out, static_cast<unsigned char>(right | quiet));
  if (op == XYLEM_MAX || op == XYLEM_MIN) {
    const bool left_first = a < b || (a == b && std::signbit(a));
    return write(out, left_first == (op == XYLEM_MIN) ? left : right);
  }
  // Exact: double has digits enough.
  const volatile double result = op == XYLEM_SUM ? a + b : a * b;
  if (std::isnan(result)) return write(out, static_cast<unsigned char>((std::signbit(result) ? 0x80 : 0) | 0x7e));
  write(out, narrow(result, format));
}

template <class T>
void reduce_complex(xylem_op op, unsigned char* out, const unsigned char* left, const unsigned char* right) {
  constexpr std::size_t kPart = sizeof(T);
  if (op == XYLEM_SUM) {
    reduce_floating<T>(XYLEM_SUM, out, left, right);
    return reduce_floating<T>(XYLEM_SUM, out + kPart, left + kPart, right + kPart);
  }
  unsigned char products[4][kPart];
  reduce_floating<T>(XYLEM_PROD, products[0], left, right);
  reduce_floating<T>(XYLEM_PROD, products[1], left + kPart, right + kPart);
  reduce_floating<T>(XYLEM_PROD, products[2], left, right + kPart);
  reduce_floating<T>(XYLEM_PROD, products[3], left + kPart, right);
  if (reads_nan<T>(products[0]) || reads_nan<T>(products[1])) {
    copy_nan<T>(out, reads_nan<T>(products[0]) ? products[0] : products[1], true);
  } else {
    const volatile T minuend = read<T>(products[0]);
    const volatile T subtrahend = read<T>(products[1]);
    write(out, static_cast<T>(minuend - subtrahend));
  }
  reduce_floating<T>(XYLEM_SUM, out + kPart, products[2], products[3]);
}

// ---- Pairs ----

template <class Value, class Index>
void reduce_pair(xylem_op op, unsigned char* out, const unsigned char* left, const unsigned char* right) {
  struct Layout {
    Value value;
    Index index;
  };
  constexpr std::size_t kIndex = offsetof(Layout, index);
  // Every value and index is exact in a long double.
  const long double left_value = read<Value>(left);
  const long double right_value = read<Value>(right);
  int order = 0;  // of the values: 1 if the right one wins, -1 if the left one does
  if (std::isnan(left_value) || std::isnan(right_value)) {
    order = (std::isnan(right_value) ? 1 : 0) - (std::isnan(left_value) ? 1 : 0);
  } else if (left_value != right_value) {
    order = (right_value > left_value) == (op == XYLEM_MAXLOC) ? 1 : -1;
  }
  if (order == 0) {
    order =
        static_cast<long double>(read<Index>(right + kIndex)) < static_cast<long double>(read<Index>(left + kIndex)) ? 1 : -1;
  }
  const unsigned char* const winner = order == 1 ? right : left;
  std::memset(out, 0, sizeof(Layout));
  write(out, read<Value>(winner));
  write(out + kIndex, read<Index>(winner + kIndex));
}

// out = left op right for one element; `out` is none of the operands.
inline void reduce_one(xylem_op op, xylem_type type, unsigned char* out, const unsigned char* left,
                       const unsigned char* right) {
  switch (type) {
    case XYLEM_INT8:
      return reduce_integer<std::int8_t>(op, out, left, right);
    case XYLEM_INT16:
      return reduce_integer<std::int16_t>(op, out, left, right);
    case XYLEM_INT32:
      return reduce_integer<std::int32_t>(op, out, left, right);
    case XYLEM_INT64:
      return reduce_integer<std::int64_t>(op, out, left, right);
    case XYLEM_UINT8:
    case XYLEM_BOOL:
    case XYLEM_LOGICAL8:
    case XYLEM_BYTE:
      return reduce_integer<std::uint8_t>(op, out, left, right);
    case XYLEM_UINT16:
    case XYLEM_LOGICAL16:
      return reduce_integer<std::uint16_t>(op, out, left, right);
    case XYLEM_UINT32:
    case XYLEM_LOGICAL32:
      return reduce_integer<std::uint32_t>(op, out, left, right);
    case XYLEM_UINT64:
    case XYLEM_LOGICAL64:
      return reduce_integer<std::uint64_t>(op, out, left, right);
    case XYLEM_FLOAT16:
      return reduce_narrow(op, out, left, right, kBinary16);
    case XYLEM_BFLOAT16:
      return reduce_narrow(op, out, left, right, kBrain16);
    case XYLEM_FLOAT8_E4M3:
      return reduce_float8(op, out, *left, *right, kE4M3);
    case XYLEM_FLOAT8_E5M2:
      return reduce_float8(op, out, *left, *right, kE5M2);
    case XYLEM_FLOAT:
      return reduce_floating<float>(op, out, left, right);
    case XYLEM_DOUBLE:
      return reduce_floating<double>(op, out, left, right);
    case XYLEM_LONG_DOUBLE:
      return reduce_floating<long double>(op, out, left, right);
    case XYLEM_COMPLEX_FLOAT:
      return reduce_complex<float>(op, out, left, right);
    case XYLEM_COMPLEX_DOUBLE:
      return reduce_complex<double>(op, out, left, right);
    case XYLEM_COMPLEX_LONG_DOUBLE:
      return reduce_complex<long double>(op, out, left, right);
    case XYLEM_FLOAT_INT:
      return reduce_pair<float, int>(op, out, left, right);
    case XYLEM_DOUBLE_INT:
      return reduce_pair<double, int>(op, out, left, right);
    case XYLEM_LONG_INT:
      return reduce_pair<long, int>(op, out, left, right);
    case XYLEM_INT_INT:
      return reduce_pair<int, int>(op, out, left, right);
    case XYLEM_SHORT_INT:
      return reduce_pair<short, int>(op, out, left, right);
    case XYLEM_LONG_DOUBLE_INT:
      return reduce_pair<long double, int>(op, out, left, right);
    case XYLEM_FLOAT_FLOAT:
      return reduce_pair<float, float>(op, out, left, right);
    default:
      return reduce_pair<double, double>(op, out, left, right);
  }
}

}  // namespace xylem::test

// Operands for tests of reductions: random bits, small numbers that meet each other, and the values where things go wrong.
#pragma once

#include <cfloat>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

#include "xylem/xylem.h"

namespace xylem::test {

using Random = std::mt19937_64;

template <class Word>
Word random_bits(Random& random) {
  return static_cast<Word>(random());
}

template <class T>
T draw(Random& random) {
  using Limits = std::numeric_limits<T>;
  const int small = static_cast<int>(random() % 7) - 3;
  const auto kind = random() % 3;
  if constexpr (std::is_integral_v<T>) {
    const T edges[] = {0, 1, Limits::max(), Limits::min(), static_cast<T>(-1), static_cast<T>(Limits::max() / 2 + 1)};
    if (kind == 0) return edges[random() % std::size(edges)];
    return kind == 1 ? static_cast<T>(small) : random_bits<T>(random);
  } else {
    const T edges[] = {T{0},
                       -T{0},
                       Limits::infinity(),
                       -Limits::infinity(),
                       static_cast<T>(std::nan("1")),
                       -static_cast<T>(std::nan("2")),
                       Limits::denorm_min(),
                       -Limits::denorm_min(),
                       Limits::min(),
                       Limits::max(),
                       Limits::lowest(),
                       Limits::epsilon()};
    if (kind == 0) return edges[random() % std::size(edges)];
    if (kind == 1) return static_cast<T>(small);
    if constexpr (std::is_same_v<T, long double>) {
      // Not all bit patterns are numbers.
      const int exponent = static_cast<int>(random() % 32000) - 16000;
      return std::ldexp(static_cast<long double>(static_cast<std::int64_t>(random())), exponent);
    } else {
      using Word = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
      const auto word = random_bits<Word>(random);
      T value;
      std::memcpy(&value, &word, sizeof(T));
      return value;
    }
  }
}

// Bits of binary16 and bfloat16 alike: zeros, infinities, quiet and signalling NaNs, the smallest and largest numbers of
// both.
inline std::uint16_t draw_narrow(Random& random) {
  const std::uint16_t edges[] = {0x0000, 0x8000, 0x7c00, 0xfc00, 0x7e01, 0xfe02, 0x7d01, 0x7f80,
                                 0xff80, 0x7fc1, 0xffc2, 0x7f81, 0x0001, 0x8001, 0x03ff, 0x0400,
                                 0x7bff, 0x007f, 0x0080, 0x7f7f, 0x3c00, 0x3f80, 0x3c01, 0x3f81};
  return random() % 2 == 0 ? edges[random() % std::size(edges)] : random_bits<std::uint16_t>(random);
}

template <class T>
void put(unsigned char*& at, T value) {
  std::memcpy(at, &value, sizeof(T));
  at += sizeof(T);
}

template <class Value, class Index>
void put_pair(unsigned char*& at, Random& random) {
  struct Layout {
    Value value;
    Index index;
  };
  const auto value = draw<Value>(random);
  const auto index = static_cast<Index>(random() % 5);
  std::memcpy(at + offsetof(Layout, value), &value, sizeof value);
  std::memcpy(at + offsetof(Layout, index), &index, sizeof index);
  at += sizeof(Layout);
}

inline void put_element(unsigned char*& at, xylem_type type, Random& random) {
  switch (type) {
    case XYLEM_INT8:
    case XYLEM_UINT8:
    case XYLEM_BOOL:
    case XYLEM_LOGICAL8:
    case XYLEM_BYTE:
    case XYLEM_FLOAT8_E4M3:
    case XYLEM_FLOAT8_E5M2:
      return put(at, draw<std::int8_t>(random));
    case XYLEM_INT16:
    case XYLEM_UINT16:
    case XYLEM_LOGICAL16:
      return put(at, draw<std::int16_t>(random));
    case XYLEM_INT32:
    case XYLEM_UINT32:
    case XYLEM_LOGICAL32:
      return put(at, draw<std::int32_t>(random));
    case XYLEM_INT64:
    case XYLEM_UINT64:
    case XYLEM_LOGICAL64:
      return put(at, draw<std::int64_t>(random));
    case XYLEM_FLOAT16:
    case XYLEM_BFLOAT16:
      return put(at, draw_narrow(random));
    case XYLEM_COMPLEX_FLOAT:
      put(at, draw<float>(random));
      [[fallthrough]];
    case XYLEM_FLOAT:
      return put(at, draw<float>(random));
    case XYLEM_COMPLEX_DOUBLE:
      put(at, draw<double>(random));
      [[fallthrough]];
    case XYLEM_DOUBLE:
      return put(at, draw<double>(random));
    case XYLEM_COMPLEX_LONG_DOUBLE:
      put(at, draw<long double>(random));
      [[fallthrough]];
    case XYLEM_LONG_DOUBLE:
      return put(at, draw<long double>(random));
    case XYLEM_FLOAT_INT:
      return put_pair<float, int>(at, random);
    case XYLEM_DOUBLE_INT:
      return put_pair<double, int>(at, random);
    case XYLEM_LONG_INT:
      return put_pair<long, int>(at, random);
    case XYLEM_INT_INT:
      return put_pair<int, int>(at, random);
    case XYLEM_SHORT_INT:
      return put_pair<short, int>(at, random);
    case XYLEM_LONG_DOUBLE_INT:
      return put_pair<long double, int>(at, random);
    case XYLEM_FLOAT_FLOAT:
      return put_pair<float, float>(at, random);
    default:
      return put_pair<double, double>(at, random);
  }
}

// `count` elements of `element_bytes` bytes each. Padding holds other bytes each time.
inline std::vector<unsigned char> draw_elements(xylem_type type, std::size_t element_bytes, std::size_t count,
                                                Random& random) {
  std::vector<unsigned char> bytes(count * element_bytes);
  for (unsigned char& byte : bytes) byte = random_bits<unsigned char>(random);
  unsigned char* at = bytes.data();
  for (std::size_t i = 0; i < count; ++i) put_element(at, type, random);
  return bytes;
}

}  // namespace xylem::test

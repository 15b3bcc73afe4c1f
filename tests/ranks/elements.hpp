// Inputs whose reductions are exact in every type, and what the results must be.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "exec/operations.hpp"
#include "exec/reduce.hpp"

namespace xylem::test {

using Bytes = std::vector<std::byte>;

// A small whole number per rank and index; distinct neighbours, so that misplaced data shows.
inline int small_number(int rank, std::size_t index, int salt) {
  return static_cast<int>((index * 7 + static_cast<std::size_t>(rank) * 3 + static_cast<std::size_t>(salt) * 5) % 13);
}

namespace detail {

template <class T>
T element(int value, int rank) {
  using namespace xylem::exec;
  if constexpr (NarrowFloat<T>) {
    return T::from_float(static_cast<float>(value));
  } else if constexpr (requires(T t) { t.imaginary; }) {
    using Real = decltype(T::real);
    return {static_cast<Real>(value), static_cast<Real>(rank % 2)};
  } else if constexpr (requires(T t) { t.word; }) {
    return {static_cast<decltype(T::word)>(value % 3)};
  } else if constexpr (requires(T t) { t.index; }) {
    return {static_cast<decltype(T::value)>(value), static_cast<decltype(T::index)>(rank)};
  } else {
    return static_cast<T>(value);
  }
}

template <std::size_t... types>
void store_as(xylem_type type, std::byte* at, int value, int rank, std::index_sequence<types...>) {
  const auto store = [&]<std::size_t candidate>() {
    if (type == static_cast<xylem_type>(candidate)) {
      xylem::exec::store_element(at, element<xylem::exec::ElementType<candidate>>(value, rank));
    }
  };
  (store.template operator()<types>(), ...);
}

}  // namespace detail

// `count` elements of one rank. PROD gets ones and a few twos, so that products stay exact, and SUM of 8-bit numbers zeros
// and ones, of which few ranks have a one.
inline Bytes make_input(xylem_type type, xylem_op op, int rank, std::size_t count, int salt) {
  const std::size_t size = exec::type_bytes(type);
  Bytes data(count * size);
  for (std::size_t i = 0; i < count; ++i) {
    const int number = small_number(rank, i, salt);
    const bool few_digits = type == XYLEM_FLOAT8_E4M3 || type == XYLEM_FLOAT8_E5M2;
    const int value = op == XYLEM_PROD ? 1 + (number == 3) : op == XYLEM_SUM && few_digits ? (number < 6) : number;
    detail::store_as(type, data.data() + i * size, value, rank, std::make_index_sequence<XYLEM_TYPE_COUNT>());
  }
  return data;
}

// `count` elements of one rank, whose sums round. FLOAT and DOUBLE.
inline Bytes make_rounding_input(xylem_type type, int rank, std::size_t count, int salt) {
  const std::size_t size = exec::type_bytes(type);
  Bytes data(count * size);
  std::uint64_t state = (static_cast<std::uint64_t>(rank) * 131 + static_cast<std::uint64_t>(salt) + 1) * 0x9E3779B97F4A7C15;
  for (std::size_t i = 0; i < count; ++i) {
    state ^= state << 13U;
    state ^= state >> 7U;
    state ^= state << 17U;
    const auto value = static_cast<double>(static_cast<std::int64_t>(state)) * 0x1p-50;
    const auto single = static_cast<float>(value);
    std::memcpy(data.data() + i * size, type == XYLEM_FLOAT ? static_cast<const void*>(&single) : &value, size);
  }
  return data;
}

// Of inputs that round, the sum along the complete binary tree over `ranks` ranks from `first` on: every level full but the
// last, which is filled from the left.
inline Bytes sum_along_tree(xylem_type type, int first, int ranks, std::size_t count, int salt) {
  if (ranks == 1) return make_rounding_input(type, first, count, salt);
  int half = 1;  // of the last level that is full
  while (4 * half <= ranks) half *= 2;
  const int lower = half + std::min(half, ranks - 2 * half);
  Bytes sum = sum_along_tree(type, first, lower, count, salt);
  const Bytes upper = sum_along_tree(type, first + lower, ranks - lower, count, salt);
  exec::find_reduce(XYLEM_SUM, type)(sum.data(), sum.data(), upper.data(), count);
  return sum;
}

// The same from the lowest rank on.
inline Bytes sum_from_left(xylem_type type, int ranks, std::size_t count, int salt) {
  Bytes sum = make_rounding_input(type, 0, count, salt);
  for (int rank = 1; rank < ranks; ++rank) {
    const Bytes next = make_rounding_input(type, rank, count, salt);
    exec::find_reduce(XYLEM_SUM, type)(sum.data(), sum.data(), next.data(), count);
  }
  return sum;
}

// The fold over all ranks' inputs in rank order.
inline Bytes fold_inputs(xylem_type type, xylem_op op, int ranks, std::size_t count, int salt) {
  Bytes sum = make_input(type, op, 0, count, salt);
  for (int rank = 1; rank < ranks; ++rank) {
    const Bytes next = make_input(type, op, rank, count, salt);
    exec::find_reduce(op, type)(sum.data(), sum.data(), next.data(), count);
  }
  return sum;
}

}  // namespace xylem::test

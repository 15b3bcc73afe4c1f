// Inputs and expected results of collectives, element by element. Inputs are small enough that every sum and product is exact
// in every type, so results are compared for equality.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace xylem::test {

enum class Op { none, sum, prod, max, min, land, lor, lxor, band, bor, bxor, maxloc, minloc };
inline constexpr int op_count = 13;

template <class Value, class Index>
struct Pair {
  Value value;
  Index index;
  bool operator==(const Pair&) const = default;
};

template <class T>
inline constexpr bool is_complex = false;
template <class T>
inline constexpr bool is_complex<std::complex<T>> = true;
template <class T>
inline constexpr bool is_pair = false;
template <class Value, class Index>
inline constexpr bool is_pair<Pair<Value, Index>> = true;

// Small numbers around zero where the type has a sign.
template <class T>
T small_number(std::size_t x, int range) {
  const int number = static_cast<int>(x % static_cast<std::size_t>(range));
  return static_cast<T>(std::is_unsigned_v<T> ? number : number - range / 2);
}

// Element `i` of the input of `rank`. `salt` makes the data of each call differ, so that stale data is noticed.
template <class T>
T input(Op op, int rank, std::size_t i, unsigned salt) {
  const std::size_t x = i * 7 + static_cast<std::size_t>(rank) * 13 + salt;
  if constexpr (is_pair<T>) {
    // Few values, so that ranks tie and the index decides.
    return T{static_cast<decltype(T::value)>((x / 2) % 5), static_cast<decltype(T::index)>((x * 31) % 97)};
  } else if constexpr (is_complex<T>) {
    using Part = typename T::value_type;
    if (op != Op::prod) return T(small_number<Part>(x, 11), small_number<Part>(x / 3, 7));
    static constexpr int units[4][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};  // products of these are exact, whatever the order
    return T(static_cast<Part>(units[x % 4][0]), static_cast<Part>(units[x % 4][1]));
  } else if constexpr (std::is_same_v<T, bool>) {
    return op == Op::land ? x % 4 != 0 : x % 3 == 0;
  } else {
    switch (op) {
      case Op::sum:
        return small_number<T>(x, 11);
      case Op::prod:
        return static_cast<T>(x % 3 == 0 ? 2 : 1);
      case Op::land:
        return static_cast<T>(x % 4 == 0 ? 0 : 1 + x % 5);
      case Op::lor:
        return static_cast<T>(x % 4 == 0 ? 3 : 0);
      case Op::lxor:
        return static_cast<T>(x % 3 == 0 ? 1 + x % 7 : 0);
      case Op::band:
        return static_cast<T>(~(std::size_t{1} << (x % (8 * sizeof(T) - 1))));
      case Op::bor:
        return static_cast<T>(std::size_t{1} << (x % (8 * sizeof(T) - 1)));
      case Op::bxor:
        return static_cast<T>(x * 2654435761u);
      default:
        return small_number<T>(x, 101);
    }
  }
}

template <class T>
T combine(Op op, T a, T b) {
  if constexpr (is_pair<T>) {
    if (a.value == b.value) return a.index <= b.index ? a : b;
    return (a.value < b.value) == (op == Op::minloc) ? a : b;
  } else if constexpr (is_complex<T>) {
    // Written out: the library's product looks after infinities, which do not occur here.
    if (op == Op::sum) return a + b;
    return T(a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real());
  } else {
    if (op == Op::sum) return static_cast<T>(a + b);
    if (op == Op::prod) return static_cast<T>(a * b);
    if (op == Op::max) return a < b ? b : a;
    if (op == Op::min) return a < b ? a : b;
    if (op == Op::land) return static_cast<T>(a && b);
    if (op == Op::lor) return static_cast<T>(a || b);
    if (op == Op::lxor) return static_cast<T>(!a != !b);
    if constexpr (std::is_integral_v<T>) {
      if (op == Op::band) return static_cast<T>(a & b);
      if (op == Op::bor) return static_cast<T>(a | b);
      if (op == Op::bxor) return static_cast<T>(a ^ b);
    }
    return a;
  }
}

// Element `i` of the reduction over all ranks. One rank alone gets its input, whatever the operation.
template <class T>
T reduced(Op op, int ranks, std::size_t i, unsigned salt) {
  T result = input<T>(op, 0, i, salt);
  for (int rank = 1; rank < ranks; ++rank) result = combine(op, result, input<T>(op, rank, i, salt));
  return result;
}

}  // namespace xylem::test

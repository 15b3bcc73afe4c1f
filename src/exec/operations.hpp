// The operations of xylem_op on one element, for the CPU and for CUDA alike: the one definition of each. A type on which an
// operation is defined (MPI-4.0 section 6.9.2) has an `apply`; the others have none.
//
// The same bits come out whatever the compiler makes of it:
// - Integers wrap around.
// - SUM and PROD beside a NaN give that NaN, made quiet; of two NaNs the left one. Hardware takes the first operand, but the
//   compiler may swap the operands of an addition, so the choice is spelled out.
// - MAX and MIN beside a NaN give that NaN, of two NaNs the left one. -0.0 is smaller than +0.0.
// - MAXLOC and MINLOC take a NaN for the largest or smallest value, all NaNs and both zeros for equal, and of equal values
// the
//   pair with the smaller index, of equal indices the left pair.
// - Complex numbers are multiplied by the schoolbook formula, without C's repair of infinities.
#pragma once

#include <concepts>

#include "exec/element_types.hpp"

namespace xylem::exec {

template <class T>
concept Integer = std::integral<T>;
template <class T>
concept Floating = std::floating_point<T>;

// Unsigned and not promoted to a signed type, so that it wraps.
template <Integer T>
using Wrapping = decltype(std::make_unsigned_t<T>{} + 0U);

template <class T>
XYLEM_HD bool is_nan(T value) {
  return value != value;  // NOLINT(misc-redundant-expression): a NaN is not equal to itself
}

// `left` where it is a NaN, else `right`: the second operand that makes a NaN on the left win.
template <Floating T>
XYLEM_HD T nan_or(T left, T right) {
  return is_nan(left) ? left : right;
}

// `result`, computed from `left` and `right`, as a CPU's instructions give it: beside a NaN that NaN, made quiet. A GPU's
// make one NaN of all.
template <Floating T>
XYLEM_HD T beside_nan([[maybe_unused]] T left, [[maybe_unused]] T right, T result) {
#if defined(__CUDACC__)
  if (is_nan(result) && (is_nan(left) || is_nan(right))) {
    const T nan = nan_or(left, right);
    if constexpr (sizeof(T) == 4) {
      return __builtin_bit_cast(T, __builtin_bit_cast(std::uint32_t, nan) | 0x00400000U);
    } else {
      return __builtin_bit_cast(T, __builtin_bit_cast(std::uint64_t, nan) | 0x0008000000000000U);
    }
  }
#endif
  return result;
}

struct Sum {
  template <Integer T>
  XYLEM_HD static T apply(T left, T right) {
    return static_cast<T>(static_cast<Wrapping<T>>(left) + static_cast<Wrapping<T>>(right));
  }
  template <Floating T>
  XYLEM_HD static T apply(T left, T right) {
    return beside_nan(left, right, left + nan_or(left, right));
  }
  template <Floating T>
  XYLEM_HD static Complex<T> apply(Complex<T> left, Complex<T> right) {
    return {apply(left.real, right.real), apply(left.imaginary, right.imaginary)};
  }
};

struct Prod {
  template <Integer T>
  XYLEM_HD static T apply(T left, T right) {
    return static_cast<T>(static_cast<Wrapping<T>>(left) * static_cast<Wrapping<T>>(right));
  }
  template <Floating T>
  XYLEM_HD static T apply(T left, T right) {
    return beside_nan(left, right, left * nan_or(left, right));
  }
  template <Floating T>
  XYLEM_HD static Complex<T> apply(Complex<T> left, Complex<T> right) {
    const T minuend = apply(left.real, right.real);
    const T subtrahend = apply(left.imaginary, right.imaginary);
    return {beside_nan(minuend, subtrahend, minuend - nan_or(minuend, subtrahend)),
            Sum::apply(apply(left.real, right.imaginary), apply(left.imaginary, right.real))};
  }
};

// MAX and MIN, which differ in the comparison and in the zero they prefer.
template <bool kLargest>
struct Extremum {
  template <Integer T>
  XYLEM_HD static T apply(T left, T right) {
    return (kLargest ? left < right : right < left) ? right : left;
  }
  template <Floating T>
  XYLEM_HD static T apply(T left, T right) {
    const bool take_left = (kLargest ? left >= right : left <= right) || is_nan(left);
    // Equal numbers have equal bits but for the two zeros, which differ in the sign.
    if constexpr (sizeof(T) > sizeof(std::uint64_t)) {
      if (left == right) return (__builtin_signbit(left) != 0) == kLargest ? right : left;
      return take_left ? left : right;
    } else {
      using Image = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
      const Image left_word = __builtin_bit_cast(Image, left);
      const Image right_word = __builtin_bit_cast(Image, right);
      const Image equal = kLargest ? left_word & right_word : left_word | right_word;
      const Image chosen = take_left ? left_word : right_word;
      return __builtin_bit_cast(T, left == right ? equal : chosen);
    }
  }
};
using Max = Extremum<true>;
using Min = Extremum<false>;

template <bool kLargest>
struct ExtremumLocation {
  template <class Value, class Index>
  XYLEM_HD static Pair<Value, Index> apply(Pair<Value, Index> left, Pair<Value, Index> right) {
    const bool left_nan = is_nan(left.value);
    const bool right_nan = is_nan(right.value);
    const bool right_beats = (kLargest ? right.value > left.value : right.value < left.value) || (right_nan && !left_nan);
    const bool equal = right.value == left.value || (right_nan && left_nan);
    return right_beats || (equal && right.index < left.index) ? right : left;
  }
};
using MaxLoc = ExtremumLocation<true>;
using MinLoc = ExtremumLocation<false>;

// The logical operations, on truth values.
struct And {
  XYLEM_HD static bool of(bool left, bool right) { return left && right; }
};
struct Or {
  XYLEM_HD static bool of(bool left, bool right) { return left || right; }
};
struct Xor {
  XYLEM_HD static bool of(bool left, bool right) { return left != right; }
};
template <class Connective>
struct Truth {
  template <Integer T>
  XYLEM_HD static T apply(T left, T right) {
    return static_cast<T>(Connective::of(left != 0, right != 0));
  }
  template <Integer T>
  XYLEM_HD static Logical<T> apply(Logical<T> left, Logical<T> right) {
    return {apply(left.word, right.word)};
  }
};
using Land = Truth<And>;
using Lor = Truth<Or>;
using Lxor = Truth<Xor>;

template <class T>
concept Bits = Integer<T> || std::same_as<T, std::byte>;

// std::byte's own operators are functions of the host.
template <Bits T>
using Word = std::conditional_t<std::same_as<T, std::byte>, unsigned char, T>;

struct Band {
  template <Bits T>
  XYLEM_HD static T apply(T left, T right) {
    return static_cast<T>(static_cast<Word<T>>(left) & static_cast<Word<T>>(right));
  }
};
struct Bor {
  template <Bits T>
  XYLEM_HD static T apply(T left, T right) {
    return static_cast<T>(static_cast<Word<T>>(left) | static_cast<Word<T>>(right));
  }
};
struct Bxor {
  template <Bits T>
  XYLEM_HD static T apply(T left, T right) {
    return static_cast<T>(static_cast<Word<T>>(left) ^ static_cast<Word<T>>(right));
  }
};

// By xylem_op.
using Operations = std::tuple<Sum, Prod, Max, Min, Land, Band, Lor, Bor, Lxor, Bxor, MaxLoc, MinLoc>;
static_assert(std::tuple_size_v<Operations> == XYLEM_OP_COUNT);

template <std::size_t op>
using Operation = std::tuple_element_t<op, Operations>;
static_assert(std::same_as<Operation<XYLEM_LAND>, Land> && std::same_as<Operation<XYLEM_MINLOC>, MinLoc>);

// The floating-point types of 16 and 8 bits compute in float: the result is as if rounded once, as a float has more than
// twice their digits.
template <class T>
concept NarrowFloat = requires(T value) {
  { value.to_float() } -> std::same_as<float>;
};

template <class Op, class T>
concept Defined = requires(T left, T right) {
  Op::apply(left, right);
}
|| (NarrowFloat<T> && requires(float left, float right) { Op::apply(left, right); });

template <class Op, class T>
requires Defined<Op, T> XYLEM_HD T combine(T left, T right) {
  if constexpr (NarrowFloat<T>) {
    return T::from_float(Op::apply(left.to_float(), right.to_float()));
  } else {
    return Op::apply(left, right);
  }
}

}  // namespace xylem::exec

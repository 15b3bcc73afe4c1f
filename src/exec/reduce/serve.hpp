// Which computation serves an operation on a type: many pairs are the same one. For the CPU and for CUDA alike.
#pragma once

#include "exec/operations.hpp"

namespace xylem::exec {

// `kLanes` of T make one element.
template <class Op, class Element>
struct Serve {
  using T = Element;
  static constexpr std::size_t kLanes = 1;
};
template <class Op, class Element>
requires std::same_as<Op, Band> || std::same_as<Op, Bor> || std::same_as<Op, Bxor>
struct Serve<Op, Element> {
  using T = std::uint8_t;
  static constexpr std::size_t kLanes = sizeof(Element);
};
template <class Op, Integer Element>
requires std::same_as<Op, Sum> || std::same_as<Op, Prod> || std::same_as<Op, Land> || std::same_as<Op, Lor> ||
    std::same_as<Op, Lxor>
struct Serve<Op, Element> {
  using T = std::make_unsigned_t<Element>;
  static constexpr std::size_t kLanes = 1;
};
template <class Op, class Word>
struct Serve<Op, Logical<Word>> {
  using T = Word;
  static constexpr std::size_t kLanes = 1;
};
template <class Real>
struct Serve<Sum, Complex<Real>> {
  using T = Real;
  static constexpr std::size_t kLanes = 2;
};

// Types that have no vector form: x87 numbers, and pairs, whose fields lie interleaved.
template <class T>
inline constexpr bool kVectorises = true;
template <>
inline constexpr bool kVectorises<long double> = false;
template <>
inline constexpr bool kVectorises<Complex<long double>> = false;
template <class Value, class Index>
inline constexpr bool kVectorises<Pair<Value, Index>> = false;

}  // namespace xylem::exec

// Loops over the operations of exec/operations.hpp, and tables of them. Each instruction set has one source file, which gives
// make_table() its set as a type:
//
//   struct Set {
//     static constexpr bool kBaseline;                 // plain loops for the types that cannot be vectorised, too
//     template <class Loop> static void run(out, left, right, count);  // Loop::run, compiled for these instructions
//   };
//
// The loops are always inlined into Set::run and so take over its instructions. Everything that is instantiated with Set has
// the internal linkage of Set, so that no code for a newer CPU can be linked into a path for an older one.
#pragma once

#include <utility>

#include "exec/operations.hpp"
#include "exec/reduce/serve.hpp"
#include "exec/reduce/table.hpp"

namespace xylem::exec {

template <class Op, class T>
struct Loop {
  [[gnu::always_inline]] static void run(std::byte* out, const std::byte* left, const std::byte* right, std::size_t count) {
    // `out` may be `left` or `right`: no iteration reads what another one writes.
#pragma GCC ivdep
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t at = i * sizeof(T);
      store_element(out + at, combine<Op>(load_element<T>(left + at), load_element<T>(right + at)));
    }
  }
};

// Two numbers of a word at a time, in the lanes of 32 bits that their floats need: no shuffling, twice as fast.
template <class Op>
struct Loop<Op, BFloat16> {
  [[gnu::always_inline]] static void run(std::byte* out, const std::byte* left, const std::byte* right, std::size_t count) {
    constexpr std::uint32_t kUpper = 0xffff0000U;
    const std::size_t even = count - count % 2;
#pragma GCC ivdep
    for (std::size_t i = 0; i < even; i += 2) {
      const std::size_t at = i * sizeof(BFloat16);
      const auto left_word = load_element<std::uint32_t>(left + at);
      const auto right_word = load_element<std::uint32_t>(right + at);
      const std::uint32_t upper = combine_words(left_word & kUpper, right_word & kUpper);
      const std::uint32_t lower = combine_words(left_word << 16U, right_word << 16U);
      store_element(out + at, (upper & kUpper) | (lower >> 16U));
    }
    if (even != count) {
      const std::size_t at = even * sizeof(BFloat16);
      store_element(out + at, combine<Op>(load_element<BFloat16>(left + at), load_element<BFloat16>(right + at)));
    }
  }

 private:
  [[gnu::always_inline]] static std::uint32_t combine_words(std::uint32_t left, std::uint32_t right) {
    return BFloat16::rounded_word(Op::apply(__builtin_bit_cast(float, left), __builtin_bit_cast(float, right)));
  }
};

template <class Set, class Op, class T, std::size_t kLanes>
void reduce(void* out, const void* left, const void* right, std::size_t count) {
  if constexpr (kLanes > 1) {
    reduce<Set, Op, T, 1>(out, left, right, count * kLanes);
  } else {
    Set::template run<Loop<Op, T>>(static_cast<std::byte*>(out), static_cast<const std::byte*>(left),
                                   static_cast<const std::byte*>(right), count);
  }
}

template <class Set, class Op, class Element>
constexpr ReduceFunction make_entry() {
  if constexpr (Defined<Op, Element> && (Set::kBaseline || kVectorises<Element>)) {
    using Served = Serve<Op, Element>;
    return &reduce<Set, Op, typename Served::T, Served::kLanes>;
  } else {
    return nullptr;
  }
}

template <class Set, std::size_t op, std::size_t... types>
constexpr void fill_row(ReduceTable& table, std::index_sequence<types...>) {
  ((table.function[op][types] = make_entry<Set, Operation<op>, ElementType<types>>()), ...);
}

template <class Set, std::size_t... ops>
constexpr ReduceTable make_table(std::index_sequence<ops...>) {
  ReduceTable table{};
  (fill_row<Set, ops>(table, std::make_index_sequence<XYLEM_TYPE_COUNT>()), ...);
  return table;
}

template <class Set>
constexpr ReduceTable make_table() {
  return make_table<Set>(std::make_index_sequence<XYLEM_OP_COUNT>());
}

}  // namespace xylem::exec

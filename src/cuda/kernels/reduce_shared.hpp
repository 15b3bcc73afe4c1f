// A reduction that the threads of a Team share, for every operation and type that a device has: all but long double. Each
// pair is a function of its own behind one switch; they are not inlined, so a kernel holds each once however many steps its
// algorithm has, and there are no pointers to functions, which would cost registers in the kernels that call through them.
#pragma once

#include <utility>

#include "cuda/kernels/kernel_call.hpp"
#include "cuda/kernels/pack.hpp"
#include "exec/reduce/serve.hpp"

namespace xylem::cuda {

// out <- left op right, element by element. `out` may be `left` or `right`. Alignment may be any, but is best where all three
// addresses agree modulo 16.
struct Operands {
  std::byte* out;
  const std::byte* left;
  const std::byte* right;
  std::size_t bytes;
};

template <class Op>
inline constexpr bool kBitwise = std::same_as<Op, exec::Band> || std::same_as<Op, exec::Bor> || std::same_as<Op, exec::Bxor>;

// The pieces that a thread moves: 16 bytes, or 4 where these would be much code. 0: element by element, what is not worth
// more.
template <class Op, class T>
inline constexpr bool kInPieces = kBitwise<Op> ||
                                  ((exec::Floating<T> || exec::NarrowFloat<T> ||
                                    exec::Integer<T>)&&(std::same_as<Op, exec::Sum> || std::same_as<Op, exec::Prod> ||
                                                        std::same_as<Op, exec::Max> || std::same_as<Op, exec::Min>));
template <class Op, class T>
inline constexpr std::size_t kPieceOf = !kInPieces<Op, T>               ? 0
                                        : kBitwise<Op> || sizeof(T) > 1 ? 16
                                                                        : 4;

// T[kBytes / sizeof(T)] at once.
template <class Op, class T, std::size_t kBytes>
XYLEM_HD Pack<kBytes> combine_packs(const Pack<kBytes>& left, const Pack<kBytes>& right) {
  struct Elements {
    T at[kBytes / sizeof(T)];
  };
  const auto a = __builtin_bit_cast(Elements, left), b = __builtin_bit_cast(Elements, right);
  Elements result;
  for (std::size_t i = 0; i < kBytes / sizeof(T); ++i) result.at[i] = exec::combine<Op>(a.at[i], b.at[i]);
  return __builtin_bit_cast(Pack<kBytes>, result);
}

// All operands are aligned for T.
template <class Op, class T>
XYLEM_HD_CALLED void reduce_as(Share share, const Operands& operands) {
  std::byte* const out = operands.out;
  const std::byte* const left = operands.left;
  const std::byte* const right = operands.right;
  const std::size_t bytes = operands.bytes;

  // Pieces in [begin, end).
  std::size_t begin = 0, end = 0;
  constexpr std::size_t kPiece = kPieceOf<Op, T>;
  if constexpr (kPiece != 0) {
    using Lane = std::conditional_t<kBitwise<Op>, std::uint32_t, T>;
    struct Both {
      Pack<kPiece> left, right;
    };
    begin = (kPiece - low_bits(out) % kPiece) % kPiece;
    if (multiple_of((low_bits(out) ^ low_bits(left)) | (low_bits(out) ^ low_bits(right)), kPiece) && begin < bytes) {
      end = begin + (bytes - begin) / kPiece * kPiece;
      // One at a time: a second one under way would take registers that the caller's have to be saved for.
      for_each_pack<kPiece, 1>(
          share, begin, end,
          [&](std::size_t at) {
            return Both{load_pack<kPiece>(left + at), load_pack<kPiece>(right + at)};
          },
          [&](std::size_t at, const Both& both) { store_pack(out + at, combine_packs<Op, Lane>(both.left, both.right)); });
    } else {
      begin = 0;
    }
  }
  // What is left before and behind them.
  const auto load = [](const std::byte* at) {
    return exec::load_element<T>(static_cast<const std::byte*>(__builtin_assume_aligned(at, alignof(T))));
  };
  const std::size_t rest = bytes - (end - begin);
  for (std::size_t i = share.thread * sizeof(T); i < rest; i += share.threads * sizeof(T)) {
    const std::size_t at = i < begin ? i : i + (end - begin);
    const T result = exec::combine<Op>(load(left + at), load(right + at));
    exec::store_element(static_cast<std::byte*>(__builtin_assume_aligned(out + at, alignof(T))), result);
  }
}

template <class T>
inline constexpr bool kOnDevice = true;
template <>
inline constexpr bool kOnDevice<long double> = false;
template <>
inline constexpr bool kOnDevice<exec::Complex<long double>> = false;
template <class Index>
inline constexpr bool kOnDevice<exec::Pair<long double, Index>> = false;

template <std::size_t op, std::size_t type>
inline constexpr bool kReducible =
    exec::Defined<exec::Operation<op>, exec::ElementType<type>>&& kOnDevice<exec::ElementType<type>>;

template <std::size_t op, std::size_t type>
XYLEM_HD void reduce_pair(Share share, const Operands& operands) {
  if constexpr (kReducible<op, type>) {
    using Op = exec::Operation<op>;
    reduce_as<Op, typename exec::Serve<Op, exec::ElementType<type>>::T>(share, operands);
  }
}

// The compiler makes a switch of this.
template <std::size_t... pairs>
XYLEM_HD void reduce_pairs(std::size_t wanted, Share share, const Operands& operands, std::index_sequence<pairs...>) {
  (void)((wanted == pairs && (reduce_pair<pairs / XYLEM_TYPE_COUNT, pairs % XYLEM_TYPE_COUNT>(share, operands), true)) ||
         ...);
}

using Pairs = std::make_index_sequence<static_cast<std::size_t>(XYLEM_OP_COUNT) * XYLEM_TYPE_COUNT>;

XYLEM_HD_CALLED inline void reduce_aligned(xylem_op op, xylem_type type, Share share, const Operands& operands) {
  reduce_pairs(static_cast<std::size_t>(op) * XYLEM_TYPE_COUNT + static_cast<std::size_t>(type), share, operands, Pairs());
}

// By xylem_type.
struct Layout {
  std::uint8_t bytes, alignment;
};
template <std::size_t... types>
XYLEM_HD Layout layout_of(std::size_t wanted, std::index_sequence<types...>) {
  Layout layout{1, 1};
  (void)((wanted == types && (layout = {sizeof(exec::ElementType<types>), alignof(exec::ElementType<types>)}, true)) || ...);
  return layout;
}

inline XYLEM_HD void reduce_shared(xylem_op op, xylem_type type, Share share, const Operands& operands) {
  const Layout layout = layout_of(static_cast<std::size_t>(type), std::make_index_sequence<XYLEM_TYPE_COUNT>());
  if (multiple_of(low_bits(operands.out) | low_bits(operands.left) | low_bits(operands.right), layout.alignment)) {
    return reduce_aligned(op, type, share, operands);
  }
  // Elements that a thread cannot load: each goes through memory of the thread's own.
  constexpr std::size_t kMost = 16;
  alignas(kMost) std::byte left[kMost], right[kMost];
  for (std::size_t at = share.thread * layout.bytes; at < operands.bytes; at += share.threads * layout.bytes) {
    for (std::size_t i = 0; i < layout.bytes; ++i) {
      left[i] = operands.left[at + i];
      right[i] = operands.right[at + i];
    }
    reduce_aligned(op, type, {0, 1}, {left, left, right, layout.bytes});
    for (std::size_t i = 0; i < layout.bytes; ++i) operands.out[at + i] = left[i];
  }
}

}  // namespace xylem::cuda

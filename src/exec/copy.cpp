#include "exec/copy.hpp"

#include <atomic>
#include <cstdint>

namespace xylem::exec {

namespace {

// The loop must stay a loop: CMakeLists.txt keeps the compiler from seeing a memcpy in it.
template <std::size_t kVector>
struct VectorCopy {
  using Vector [[gnu::vector_size(kVector), gnu::may_alias]] = std::uint64_t;
  using Unaligned [[gnu::vector_size(kVector), gnu::aligned(1), gnu::may_alias]] = std::uint64_t;

  static constexpr std::size_t kBlock = 4 * kVector;

  // Copies kVectors vectors; all of them are read before the first is written. Not aligned, unless said of `out`.
  template <std::size_t kVectors, bool kAligned = false>
  [[gnu::always_inline]] static void move(std::byte* out, const std::byte* in) {
    Vector vectors[kVectors];
    for (std::size_t i = 0; i < kVectors; ++i) vectors[i] = reinterpret_cast<const Unaligned*>(in)[i];
    for (std::size_t i = 0; i < kVectors; ++i) {
      if constexpr (kAligned) {
        reinterpret_cast<Vector*>(out)[i] = vectors[i];
      } else {
        reinterpret_cast<Unaligned*>(out)[i] = vectors[i];
      }
    }
  }

  // Copies more than kInlineCopy bytes.
  [[gnu::always_inline]] static void run(std::byte* out, const std::byte* in, std::size_t bytes) {
    static_assert(2 * kVector <= kInlineCopy);
    std::byte* const out_end = out + bytes;
    const std::byte* const in_end = in + bytes;
    if (bytes <= kBlock) {
      move<2>(out, in);
      move<2>(out_end - 2 * kVector, in_end - 2 * kVector);
      return;
    }
    // Stores that cross cache lines cost more than loads that do: the first vector brings `out` to a multiple of its size.
    move<1>(out, in);
    const std::size_t skip = kVector - reinterpret_cast<std::uintptr_t>(out) % kVector;
    out += skip;
    in += skip;
    for (; in_end - in > static_cast<std::ptrdiff_t>(kBlock); in += kBlock, out += kBlock) move<4, true>(out, in);
    move<4>(out_end - kBlock, in_end - kBlock);
  }
};

void copy_baseline(std::byte* out, const std::byte* in, std::size_t bytes) { VectorCopy<16>::run(out, in, bytes); }

#if defined(__x86_64__)
[[gnu::target("avx2")]] void copy_avx2(std::byte* out, const std::byte* in, std::size_t bytes) {
  VectorCopy<32>::run(out, in, bytes);
}
#endif

}  // namespace

CopyFunction find_copy([[maybe_unused]] InstructionSet set) {
#if defined(__x86_64__)
  if (set != InstructionSet::baseline) return copy_avx2;
#endif
  return copy_baseline;
}

namespace {

void choose_and_copy(std::byte* out, const std::byte* in, std::size_t bytes);

// The copy for this CPU, once the first call has chosen it. Any thread may do so: all choose the same.
constinit std::atomic<CopyFunction> chosen = choose_and_copy;

void choose_and_copy(std::byte* out, const std::byte* in, std::size_t bytes) {
  const CopyFunction copy = find_copy(best_instruction_set());
  chosen.store(copy, std::memory_order_relaxed);
  copy(out, in, bytes);
}

}  // namespace

void copy_many_bytes(std::byte* out, const std::byte* in, std::size_t bytes) {
  chosen.load(std::memory_order_relaxed)(out, in, bytes);
}

}  // namespace xylem::exec

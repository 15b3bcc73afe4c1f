// Moving memory with several threads in the widest pieces that its alignment allows. A CUDA thread must not touch a word at
// an address that is no multiple of its size.
#pragma once

#include <type_traits>

#include "exec/platform.hpp"

namespace xylem::cuda {

// One thread of those that share a range of bytes.
struct Share {
  std::uint32_t thread;
  std::uint32_t threads;
};

// `kBytes` bytes that are loaded and stored as one: a power of two, 16 at most.
template <std::size_t kBytes>
struct alignas(kBytes) Pack {
  using Word = std::conditional_t<(kBytes < 4), std::uint8_t, std::uint32_t>;
  Word words[kBytes / sizeof(Word)];
};

template <std::size_t kBytes>
XYLEM_HD Pack<kBytes> load_pack(const std::byte* at) {
  Pack<kBytes> pack;
  __builtin_memcpy(&pack, __builtin_assume_aligned(at, kBytes), kBytes);
  return pack;
}
template <std::size_t kBytes>
XYLEM_HD void store_pack(std::byte* at, const Pack<kBytes>& pack) {
  __builtin_memcpy(__builtin_assume_aligned(at, kBytes), &pack, kBytes);
}

// The low bits of addresses. Those of several can be collected with |, differences of addresses too.
XYLEM_HD inline std::uint32_t low_bits(const std::byte* address) {
  return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(address));
}
XYLEM_HD inline bool multiple_of(std::uint32_t bits, std::uint32_t bytes) { return (bits & (bytes - 1)) == 0; }

// For this thread's part of the multiples of kStep in [begin, end): store(at, load(at)). Where there are enough, kUnroll of
// them are loaded before the first is stored, so that their loads are under way together.
template <std::size_t kStep, unsigned kUnroll, class Load, class Store>
XYLEM_HD void for_each_pack(Share share, std::size_t begin, std::size_t end, Load load, Store store) {
  const std::size_t stride = kStep * share.threads;
  std::size_t at = begin + kStep * share.thread;
  if constexpr (kUnroll > 1) {
    for (; at + (kUnroll - 1) * stride < end; at += kUnroll * stride) {
      decltype(load(at)) loaded[kUnroll];
      for (unsigned i = 0; i < kUnroll; ++i) loaded[i] = load(at + i * stride);
      for (unsigned i = 0; i < kUnroll; ++i) store(at + i * stride, loaded[i]);
    }
  }
  for (; at < end; at += stride) store(at, load(at));
}

}  // namespace xylem::cuda

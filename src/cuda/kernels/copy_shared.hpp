// A copy that the threads of a Team share: bytes [i * 16, ...) by thread i where alignment allows.
#pragma once

#include "cuda/kernels/pack.hpp"

namespace xylem::cuda {

template <std::size_t kBytes, unsigned kUnroll>
XYLEM_HD void copy_packs(Share share, std::byte* out, const std::byte* in, std::size_t bytes) {
  // From the first multiple of kBytes on; single bytes before and behind.
  const std::size_t to_aligned = (kBytes - low_bits(out) % kBytes) % kBytes;
  const std::size_t head = to_aligned < bytes ? to_aligned : bytes;
  const std::size_t body = head + (bytes - head) / kBytes * kBytes;
  for_each_pack<kBytes, kUnroll>(
      share, head, body, [&](std::size_t at) { return load_pack<kBytes>(in + at); },
      [&](std::size_t at, const Pack<kBytes>& pack) { store_pack<kBytes>(out + at, pack); });
  if constexpr (kBytes > 1) {
    for (std::size_t at = share.thread; at < head; at += share.threads) out[at] = in[at];
    for (std::size_t at = body + share.thread; at < bytes; at += share.threads) out[at] = in[at];
  }
}

// Any alignment; the ranges do not overlap.
XYLEM_HD_CALLED inline void copy_shared(Share share, std::byte* out, const std::byte* in, std::size_t bytes) {
  const std::uint32_t difference = low_bits(out) ^ low_bits(in);
  if (multiple_of(difference, 16)) {
    copy_packs<16, 4>(share, out, in, bytes);
  } else if (multiple_of(difference, 4)) {
    copy_packs<4, 4>(share, out, in, bytes);
  } else {
    copy_packs<1, 4>(share, out, in, bytes);
  }
}

}  // namespace xylem::cuda

// Copies that the threads of a Team share: bytes [i * 16, ...) by thread i where alignment allows.
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

template <std::size_t kBytes>
XYLEM_HD void exchange_packs(Share share, std::byte* a_out, const std::byte* a_in, std::byte* b_out, const std::byte* b_in,
                             std::size_t bytes) {
  struct Both {
    Pack<kBytes> a, b;
  };
  for_each_pack<kBytes, 1>(
      share, 0, bytes / kBytes * kBytes,
      [&](std::size_t at) {
        return Both{load_pack<kBytes>(a_in + at), load_pack<kBytes>(b_in + at)};
      },
      [&](std::size_t at, const Both& both) {
        store_pack<kBytes>(a_out + at, both.b);
        store_pack<kBytes>(b_out + at, both.a);
      });
}

// a_out <- b_in and b_out <- a_in, where a_out may be a_in and b_out may be b_in. Any alignment.
XYLEM_HD_CALLED inline void exchange_shared(Share share, std::byte* a_out, const std::byte* a_in, std::byte* b_out,
                                            const std::byte* b_in, std::size_t bytes) {
  const bool aligned = multiple_of(low_bits(a_out) | low_bits(a_in) | low_bits(b_out) | low_bits(b_in), 16);
  std::size_t body = 0;
  if (aligned) {
    body = bytes / 16 * 16;
    exchange_packs<16>(share, a_out, a_in, b_out, b_in, body);
  }
  exchange_packs<1>(share, a_out + body, a_in + body, b_out + body, b_in + body, bytes - body);
}

}  // namespace xylem::cuda

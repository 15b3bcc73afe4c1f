#include "exec/stream.hpp"

#include <algorithm>
#include <cstdint>

#include "exec/copy.hpp"
#include "exec/platform.hpp"
#include "exec/reduce/range.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace xylem::exec {

namespace {

#if defined(__x86_64__)

// Vectors of 16 bytes, which every x86-64 CPU has, are as fast as wider ones: memory is the limit.
void stream_line(std::byte* out, const std::byte* in) {
  auto* const to = reinterpret_cast<__m128i*>(out);
  const auto* const from = reinterpret_cast<const __m128i_u*>(in);
  const __m128i first = _mm_loadu_si128(from);
  const __m128i second = _mm_loadu_si128(from + 1);
  const __m128i third = _mm_loadu_si128(from + 2);
  const __m128i fourth = _mm_loadu_si128(from + 3);
  _mm_stream_si128(to, first);
  _mm_stream_si128(to + 1, second);
  _mm_stream_si128(to + 2, third);
  _mm_stream_si128(to + 3, fourth);
}

// Only whole lines go past the caches; what lies before and after them is stored as usual.
void stream_unordered(std::byte* out, const std::byte* in, std::size_t bytes) {
  const std::size_t head = std::min(bytes, -reinterpret_cast<std::uintptr_t>(out) % kCacheLine);
  copy_bytes(out, in, head);
  std::size_t at = head;
  for (; bytes - at >= kCacheLine; at += kCacheLine) stream_line(out + at, in + at);
  copy_bytes(out + at, in + at, bytes - at);
}

// Streaming stores may pass any later store, also one that publishes them. Partner: the acquire load of that store.
void order_streams() { _mm_sfence(); }

#else

void stream_unordered(std::byte* out, const std::byte* in, std::size_t bytes) { copy_bytes(out, in, bytes); }
void order_streams() {}

#endif

}  // namespace

void stream_bytes(void* out, const void* in, std::size_t bytes) {
  stream_unordered(static_cast<std::byte*>(out), static_cast<const std::byte*>(in), bytes);
  order_streams();
}

void stream_reduce(ReduceFunction function, std::size_t element_bytes, void* out, const void* const* in, std::size_t inputs,
                   std::size_t count) {
  // Reduced block by block in the first-level cache, and streamed from there.
  alignas(kCacheLine) std::byte block[2048];
  const std::size_t step = sizeof block / element_bytes;
  for (std::size_t done = 0; done < count; done += step) {
    const std::size_t elements = std::min(step, count - done);
    const std::size_t at = done * element_bytes;
    reduce_range(function, block, in, inputs, at, elements);
    stream_unordered(static_cast<std::byte*>(out) + at, block, elements * element_bytes);
  }
  order_streams();
}

}  // namespace xylem::exec

#include "exec/reduce/f16c.hpp"

#include <immintrin.h>

namespace xylem::exec {

namespace {

constexpr std::size_t kLanes = 8;

}  // namespace

[[gnu::target("avx2,f16c")]] void widen_f16c(float* out, const std::byte* halves, std::size_t count) {
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    const __m128i in = _mm_loadu_si128(reinterpret_cast<const __m128i_u*>(halves + i * sizeof(Half)));
    _mm256_storeu_ps(out + i, _mm256_cvtph_ps(in));
  }
  for (; i < count; ++i) out[i] = load_element<Half>(halves + i * sizeof(Half)).to_float();
}

[[gnu::target("avx2,f16c")]] void narrow_f16c(std::byte* halves, const float* in, std::size_t count) {
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    const __m128i out = _mm256_cvtps_ph(_mm256_loadu_ps(in + i), _MM_FROUND_TO_NEAREST_INT);
    _mm_storeu_si128(reinterpret_cast<__m128i_u*>(halves + i * sizeof(Half)), out);
  }
  for (; i < count; ++i) store_element(halves + i * sizeof(Half), Half::from_float(in[i]));
}

}  // namespace xylem::exec

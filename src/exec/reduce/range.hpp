// One block of a reduction of several inputs. Inside src/exec/ only.
#pragma once

#include <cstddef>

#include "exec/reduce.hpp"

namespace xylem::exec {

// out[i] = in[0][i] op ... op in[inputs - 1][i] for `count` elements that lie `at` bytes into each input.
inline void reduce_range(ReduceFunction function, std::byte* out, const void* const* in, std::size_t inputs, std::size_t at,
                         std::size_t count) {
  const auto operand = [&](std::size_t i) { return static_cast<const std::byte*>(in[i]) + at; };
  function(out, operand(0), operand(1), count);
  for (std::size_t i = 2; i < inputs; ++i) function(out, out, operand(i), count);
}

}  // namespace xylem::exec

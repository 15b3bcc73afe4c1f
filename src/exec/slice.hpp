// Ranges of bytes that algorithms move: Slice may be written, View is only read. Empty ones stand for "nothing to move".
#pragma once

#include "exec/platform.hpp"

namespace xylem::exec {

struct Slice {
  std::byte* data = nullptr;
  std::size_t bytes = 0;
};

struct View {
  const std::byte* data = nullptr;
  std::size_t bytes = 0;

  View() = default;
  XYLEM_HD View(const std::byte* from, std::size_t length) : data(from), bytes(length) {}
  XYLEM_HD View(Slice slice) : data(slice.data), bytes(slice.bytes) {}  // NOLINT: every Slice is a View
};

// Whether the ranges overlap without being the same: then nothing may be copied or reduced from one to the other.
XYLEM_HD inline bool lies_askew(Slice out, View in) {
  const auto a = reinterpret_cast<std::uintptr_t>(out.data), b = reinterpret_cast<std::uintptr_t>(in.data);
  return a != b && a < b + in.bytes && b < a + out.bytes;
}

}  // namespace xylem::exec

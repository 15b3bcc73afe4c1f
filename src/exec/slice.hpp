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

}  // namespace xylem::exec

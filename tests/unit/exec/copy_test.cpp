#include "exec/copy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace xylem::exec {
namespace {

using Bytes = std::vector<std::byte>;

constexpr std::byte kGuard{0xa5};
constexpr std::size_t kMargin = 192;  // more than a vector and every offset

// Bytes that differ from their neighbours, from those a vector away, and from the guard.
Bytes pattern(std::size_t bytes) {
  Bytes result(bytes);
  for (std::size_t i = 0; i < bytes; ++i) result[i] = static_cast<std::byte>((i * 7 + i / 32) % 163);
  return result;
}

template <class Copy>
void expect_copies(Copy copy, std::size_t bytes, std::size_t out_offset, std::size_t in_offset) {
  const Bytes in = pattern(bytes + in_offset);
  Bytes out(bytes + out_offset + kMargin, kGuard);
  copy(out.data() + out_offset, in.data() + in_offset, bytes);
  const auto is_guard = [](std::byte byte) { return byte == kGuard; };
  const auto begin = out.begin() + static_cast<std::ptrdiff_t>(out_offset);
  const auto end = begin + static_cast<std::ptrdiff_t>(bytes);
  const bool copied = std::equal(begin, end, in.begin() + static_cast<std::ptrdiff_t>(in_offset));
  const bool guarded = std::all_of(out.begin(), begin, is_guard) && std::all_of(end, out.end(), is_guard);
  ASSERT_TRUE(copied && guarded) << bytes << " bytes from offset " << in_offset << " to " << out_offset;
}

TEST(Copy, EverySmallSizeAtEveryAlignment) {
  for (std::size_t bytes = 0; bytes <= 200; ++bytes) {
    for (std::size_t offset = 0; offset < 32; ++offset) expect_copies(copy_bytes, bytes, 32 + offset, (offset * 5 + 3) % 32);
  }
}

TEST(Copy, LargeSizes) {
  for (const std::size_t bytes : {1000, 4096, 65536, 65537, (1 << 20) + 13, (9 << 20) + 1}) {
    for (const std::size_t offset : {0, 1, 8, 31}) expect_copies(copy_bytes, bytes, offset, 0);
  }
}

TEST(Copy, EveryInstructionSet) {
  for (const InstructionSet set : {InstructionSet::baseline, InstructionSet::avx2, InstructionSet::avx512}) {
    if (!supported(set)) continue;
    SCOPED_TRACE(instruction_set_name(set));
    for (std::size_t bytes = kInlineCopy + 1; bytes <= 700; ++bytes) {
      for (std::size_t offset = 0; offset < 64; offset += 7) expect_copies(find_copy(set), bytes, offset, 64 - offset);
    }
  }
}

}  // namespace
}  // namespace xylem::exec

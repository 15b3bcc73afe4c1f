#include "exec/stream.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace xylem::exec {
namespace {

constexpr std::size_t kMargin = 64;
constexpr std::byte kGuard{0xa5};

// Whether `out` holds `expected` from `offset` on, and guard bytes elsewhere.
bool holds(const std::vector<std::byte>& out, std::size_t offset, const std::vector<std::byte>& expected) {
  const auto begin = out.begin() + static_cast<std::ptrdiff_t>(offset);
  const auto end = begin + static_cast<std::ptrdiff_t>(expected.size());
  const auto is_guard = [](std::byte byte) { return byte == kGuard; };
  return std::equal(begin, end, expected.begin()) && std::all_of(out.begin(), begin, is_guard) &&
         std::all_of(end, out.end(), is_guard);
}

TEST(Stream, CopiesAnySizeToAnyAlignment) {
  for (std::size_t bytes = 0; bytes <= 300; ++bytes) {
    std::vector<std::byte> in(bytes);
    for (std::size_t i = 0; i < bytes; ++i) in[i] = static_cast<std::byte>((i * 7 + i / 32) % 163);
    for (std::size_t offset = 0; offset < 64; offset += 3) {
      std::vector<std::byte> out(offset + bytes + kMargin, kGuard);
      stream_bytes(out.data() + offset, in.data(), bytes);
      ASSERT_TRUE(holds(out, offset, in)) << bytes << " bytes to offset " << offset;
    }
  }
}

TEST(Stream, ReducesAnyCountToAnyAlignment) {
  const ReduceFunction sum = find_reduce(XYLEM_SUM, XYLEM_INT32);
  for (const std::size_t count : {0, 1, 15, 511, 512, 513, 1024, 2500}) {
    std::vector<std::int32_t> left(count);
    std::vector<std::int32_t> right(count);
    std::vector<std::byte> expected(count * sizeof(std::int32_t));
    for (std::size_t i = 0; i < count; ++i) {
      left[i] = static_cast<std::int32_t>(i * 1000003);
      right[i] = static_cast<std::int32_t>(i * i);
    }
    sum(expected.data(), left.data(), right.data(), count);
    for (const std::size_t offset : {0, 1, 4, 63}) {
      std::vector<std::byte> out(offset + expected.size() + kMargin, kGuard);
      stream_reduce(sum, sizeof(std::int32_t), out.data() + offset, left.data(), right.data(), count);
      ASSERT_TRUE(holds(out, offset, expected)) << count << " elements to offset " << offset;
    }
  }
}

TEST(Stream, ReducesElementsOfAnySize) {
  for (int i = 0; i < XYLEM_TYPE_COUNT; ++i) {
    const auto type = static_cast<xylem_type>(i);
    const ReduceFunction function = find_reduce(type >= XYLEM_FLOAT_INT                   ? XYLEM_MAXLOC
                                                : type >= XYLEM_BOOL && type < XYLEM_BYTE ? XYLEM_LOR
                                                : type == XYLEM_BYTE                      ? XYLEM_BOR
                                                                                          : XYLEM_SUM,
                                                type);
    ASSERT_NE(function, nullptr) << type_name(type);
    constexpr std::size_t kCount = 1000;
    const std::size_t bytes = kCount * type_bytes(type);
    const std::vector<std::byte> left(bytes, std::byte{1});
    const std::vector<std::byte> right(bytes, std::byte{2});
    std::vector<std::byte> expected(bytes);
    std::vector<std::byte> out(bytes);
    function(expected.data(), left.data(), right.data(), kCount);
    stream_reduce(function, type_bytes(type), out.data(), left.data(), right.data(), kCount);
    ASSERT_EQ(out == expected, true) << type_name(type);
  }
}

}  // namespace
}  // namespace xylem::exec

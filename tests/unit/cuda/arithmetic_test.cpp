// What threads of a kernel do to memory: every operation and type, shares of several threads, any alignment. Bits are those
// of the CPU's reductions.
#include <gtest/gtest.h>

#include <vector>

#include "cuda/kernels/copy_shared.hpp"
#include "cuda/kernels/reduce_shared.hpp"
#include "exec/reduce.hpp"
#include "reduce_inputs.hpp"

namespace xylem::cuda {
namespace {

using Bytes = std::vector<std::byte>;
constexpr std::byte kGuard{0xA5};
constexpr std::size_t kMargin = 64;

// A buffer at a chosen distance from a multiple of 64, with guard bytes around it.
class Buffer {
 public:
  Buffer(std::size_t bytes, std::size_t offset) : memory_(bytes + 3 * kMargin, kGuard), bytes_(bytes) {
    const auto start = reinterpret_cast<std::uintptr_t>(memory_.data());
    at_ = 2 * kMargin - start % kMargin + offset % kMargin;
  }
  std::byte* data() { return memory_.data() + at_; }
  void fill(const void* from) {
    if (bytes_ != 0) __builtin_memcpy(data(), from, bytes_);  // of nothing there may be no address
  }
  bool holds(const void* expected) {
    for (std::size_t i = 0; i < memory_.size(); ++i) {
      const bool inside = i >= at_ && i < at_ + bytes_;
      if (memory_[i] != (inside ? static_cast<const std::byte*>(expected)[i - at_] : kGuard)) return false;
    }
    return true;
  }

 private:
  Bytes memory_;
  std::size_t bytes_, at_ = 0;
};

TEST(SharedCopy, AnyLengthAtAnyAlignment) {
  Bytes pattern(2000);
  for (std::size_t i = 0; i < pattern.size(); ++i) pattern[i] = static_cast<std::byte>(i * 7 + i / 251);
  for (const std::size_t bytes : {0U, 1U, 3U, 15U, 16U, 17U, 63U, 200U, 1021U}) {
    for (std::size_t to = 0; to < 17; ++to) {
      for (const std::size_t from : {std::size_t{0}, to, to + 4, to + 1, to + 8}) {
        Buffer in(bytes, from), out(bytes, to);
        in.fill(pattern.data());
        for (std::uint32_t thread = 0; thread < 5; ++thread) copy_shared({thread, 5}, out.data(), in.data(), bytes);
        ASSERT_TRUE(out.holds(pattern.data())) << bytes << " bytes, " << from << " to " << to;
      }
    }
  }
}

class SharedReduce : public testing::TestWithParam<int> {};

TEST_P(SharedReduce, GivesTheBitsOfTheCpu) {
  const auto op = static_cast<xylem_op>(GetParam());
  for (int i = 0; i < XYLEM_TYPE_COUNT; ++i) {
    const auto type = static_cast<xylem_type>(i);
    const exec::ReduceFunction reference = exec::find_reduce(op, type);
    if (reference == nullptr || type == XYLEM_LONG_DOUBLE || type == XYLEM_COMPLEX_LONG_DOUBLE ||
        type == XYLEM_LONG_DOUBLE_INT) {
      continue;
    }
    SCOPED_TRACE(exec::type_name(type));
    const std::size_t unit = exec::type_bytes(type);
    test::Random random(static_cast<std::uint64_t>(i));
    for (const std::size_t count : {0U, 1U, 2U, 7U, 33U, 259U}) {
      const auto left = test::draw_elements(type, unit, count, random),
                 right = test::draw_elements(type, unit, count, random);
      std::vector<unsigned char> expected(count * unit);
      reference(expected.data(), left.data(), right.data(), count);
      // Aligned alike for vectors and not, for the type only, and not at all.
      constexpr std::size_t kOffsets[][3] = {{0, 0, 0}, {8, 8, 8}, {16, 8, 0}, {4, 4, 4}, {2, 2, 2}, {1, 0, 3}, {5, 5, 5}};
      for (const auto& [to, first, second] : kOffsets) {
        for (const std::uint32_t threads : {1U, 3U, 64U}) {
          Buffer a(count * unit, first), b(count * unit, second), out(count * unit, to);
          a.fill(left.data());
          b.fill(right.data());
          const Operands operands{out.data(), a.data(), b.data(), count * unit};
          for (std::uint32_t thread = 0; thread < threads; ++thread) reduce_shared(op, type, {thread, threads}, operands);
          ASSERT_TRUE(out.holds(expected.data())) << count << " elements at " << to << ", " << first << ", " << second;
          // In place of either operand.
          for (std::uint32_t thread = 0; thread < threads; ++thread) {
            reduce_shared(op, type, {thread, threads}, {b.data(), a.data(), b.data(), count * unit});
          }
          ASSERT_TRUE(b.holds(expected.data())) << "in place, " << count << " elements at " << first << ", " << second;
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Ops, SharedReduce, testing::Range(0, static_cast<int>(XYLEM_OP_COUNT)),
                         [](const testing::TestParamInfo<int>& param) {
                           return std::string(exec::op_name(static_cast<xylem_op>(param.param)));
                         });

}  // namespace
}  // namespace xylem::cuda

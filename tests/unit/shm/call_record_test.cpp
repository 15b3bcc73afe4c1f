#include "shm/call_record.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace xylem::shm {
namespace {

CallRecord record(std::uint32_t n) {
  return {.sequence = n,
          .bytes = 8 * std::uint64_t{n},
          .history = n,
          .collective = n,
          .op = n,
          .type = n,
          .root = static_cast<std::int32_t>(n),
          .ordinal = n,
          .writes = 0};
}

bool is_none(const CallRecord& r) { return r.sequence == 0 && r.history == 0 && r.ordinal == 0; }

bool is_of_one_call(const CallRecord& r) {
  const CallRecord whole = record(static_cast<std::uint32_t>(r.sequence));
  return r.bytes == whole.bytes && r.history == whole.history && r.collective == whole.collective && r.op == whole.op &&
         r.type == whole.type && r.root == whole.root && r.ordinal == whole.ordinal;
}

TEST(CallRecord, IsReadAsItWasWritten) {
  CallRecord line{};
  EXPECT_TRUE(is_none(line.snapshot()));
  line.publish(record(7));
  EXPECT_EQ(line.snapshot().sequence, 7U);
  EXPECT_TRUE(is_of_one_call(line.snapshot()));
}

// A reader may come at any time, and never takes parts of two calls for one.
TEST(CallRecord, IsReadWholeOrNotAtAll) {
  constexpr std::uint32_t kCalls = 300'000;
  CallRecord line{};
  std::atomic<bool> over{false};
  std::atomic<int> torn{0}, backwards{0};
  std::thread reader([&] {
    std::uint64_t last = 0;
    while (!over) {
      const CallRecord seen = line.snapshot();
      if (is_none(seen)) continue;
      if (!is_of_one_call(seen)) ++torn;
      if (seen.sequence < last) ++backwards;
      last = seen.sequence;
    }
  });
  for (std::uint32_t n = 1; n <= kCalls; ++n) line.publish(record(n));
  over = true;
  reader.join();
  EXPECT_EQ(torn, 0);
  EXPECT_EQ(backwards, 0);
  EXPECT_EQ(line.snapshot().sequence, kCalls);
}

}  // namespace
}  // namespace xylem::shm

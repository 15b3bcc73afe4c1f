// The flight recorder of one rank in one communicator: its last calls, what it waits for, and which call it has left. It lies
// in memory that the peers of its host map, so they can read it when the rank is gone.
#pragma once

#include <array>
#include <ctime>

#include "exec/waiter.hpp"
#include "shm/call_record.hpp"

namespace xylem::shm {

inline constexpr std::size_t kRecordedCalls = 8;

// Written by the owner, read by any peer at any time.
struct alignas(2 * exec::kCacheLine) CallLog {
  std::uint64_t left;      // sequence of the last call that has ended well
  std::uint64_t left_at;   // nanoseconds of the monotonic clock, at the resolution of the scheduler's tick
  exec::Awaited awaiting;  // of a call under way, if its `since` is not before left_at
  alignas(2 * exec::kCacheLine) std::array<CallRecord, kRecordedCalls> calls;

  void enter(const CallRecord& call) { calls[call.sequence % kRecordedCalls].publish(call); }
  // The coarse clock takes a few nanoseconds: every call can afford it.
  void leave(std::uint64_t sequence) {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    const auto at = static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
    std::atomic_ref(left_at).store(at, std::memory_order_relaxed);
    std::atomic_ref(left).store(sequence, std::memory_order_relaxed);
  }

  // The call that was begun last; sequence 0: none yet.
  CallRecord last() const {
    CallRecord newest{};
    for (const CallRecord& each : calls) {
      const CallRecord call = each.snapshot();
      if (call.sequence > newest.sequence) newest = call;
    }
    return newest;
  }
};
static_assert(sizeof(CallLog) == 128 + kRecordedCalls * sizeof(CallRecord));

}  // namespace xylem::shm

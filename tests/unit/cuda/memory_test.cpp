// Kinds of memory, contexts and pinned memory, on a driver that is made up.
#include "cuda/memory.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.hpp"
#include "cuda/context.hpp"
#include "cuda/pinned.hpp"
#include "fake_driver.hpp"

namespace xylem::cuda {
namespace {

using test::FakeDriver;

TEST(Memory, IsAllHostMemoryWithoutADriver) {
  int plain = 0;
  EXPECT_EQ(memory_of(&plain).kind, MemoryKind::host);
  EXPECT_EQ(memory_of(nullptr).kind, MemoryKind::host);
  EXPECT_THROW(allocate_device(8), Error);
}

TEST(Memory, KindsAreTold) {
  FakeDriver fake;
  static int device = 0, pinned = 0, managed = 0, plain = 0;
  fake.know(&device, {sizeof device, CU_MEMORYTYPE_DEVICE, false, FakeDriver::context(2), 2});
  fake.know(&pinned, {sizeof pinned, CU_MEMORYTYPE_HOST, false, FakeDriver::context(1), 1});
  fake.know(&managed, {sizeof managed, CU_MEMORYTYPE_DEVICE, true, FakeDriver::context(0), 0});

  const Memory memory = memory_of(&device);
  EXPECT_EQ(memory.kind, MemoryKind::device);
  EXPECT_EQ(memory.device, 2);
  EXPECT_EQ(memory.context, FakeDriver::context(2));
  EXPECT_EQ(memory.allocation, 7u);
  EXPECT_EQ(memory_of(&pinned).kind, MemoryKind::pinned);
  EXPECT_EQ(memory_of(&managed).kind, MemoryKind::managed);
  EXPECT_EQ(memory_of(&plain).kind, MemoryKind::host);
}

TEST(Memory, IsHostMemoryWhereTheDriverDoesNotAnswerAndTheCpuCanTouchIt) {
  FakeDriver fake;
  const int plain = 0;
  const int page = static_cast<int>(sysconf(_SC_PAGESIZE));
  void* const closed = mmap(nullptr, page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(closed, MAP_FAILED);
  // No driver, no context, and after the fault of a kernel.
  for (const CUresult result : {CUDA_ERROR_NOT_INITIALIZED, CUDA_ERROR_DEINITIALIZED, CUDA_ERROR_NO_DEVICE,
                                CUDA_ERROR_INVALID_CONTEXT, CUDA_ERROR_CONTEXT_IS_DESTROYED, CUDA_ERROR_INVALID_VALUE,
                                CUDA_ERROR_ILLEGAL_ADDRESS, CUDA_ERROR_LAUNCH_FAILED, CUDA_ERROR_ECC_UNCORRECTABLE}) {
    fake.attributes_result = result;
    EXPECT_EQ(memory_of(&plain).kind, MemoryKind::host) << result;
    EXPECT_EQ(memory_of(nullptr).kind, MemoryKind::host) << result;
    try {
      memory_of(closed);
      ADD_FAILURE() << "no Error for " << result;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), XYLEM_ERROR_SYSTEM);
      EXPECT_STREQ(
          error.what(),
          "cuPointerGetAttributes of memory that the CPU cannot touch failed with CUDA_ERROR_FAKE: as the test wants");
    }
  }
  munmap(closed, page);
}

TEST(Memory, IsCopiedInItsOwnContextAndTheCurrentOneIsAsBefore) {
  FakeDriver fake;
  fake.stack = {FakeDriver::context(0)};
  int from = 5, to = 0;
  copy(&to, &from, sizeof to, {MemoryKind::device, 3, FakeDriver::context(3), 0}, default_stream());
  EXPECT_EQ(to, 5);
  EXPECT_EQ(fake.copied_in, (std::vector{FakeDriver::context(3)}));
  EXPECT_EQ(fake.waited_for, (std::vector{default_stream()}));
  EXPECT_EQ(fake.stack, (std::vector{FakeDriver::context(0)}));
  EXPECT_EQ(fake.capture_mode, CU_STREAM_CAPTURE_MODE_GLOBAL);
}

TEST(Memory, OfAPoolIsReachedByTheContextOfItsDevice) {
  FakeDriver fake;
  fake.primary[1] = FakeDriver::context(77);
  int from = 5, to = 0;
  // The current context is on the device already: nothing else is asked for.
  fake.stack = {FakeDriver::context(1)};
  copy(&to, &from, sizeof to, {MemoryKind::device, 1, nullptr, 0}, default_stream());
  // It is on another device, or there is none.
  fake.stack = {FakeDriver::context(0)};
  copy(&to, &from, sizeof to, {MemoryKind::device, 1, nullptr, 0}, default_stream());
  fake.stack = {};
  copy(&to, &from, sizeof to, {MemoryKind::device, 1, nullptr, 0}, default_stream());
  EXPECT_EQ(fake.copied_in, (std::vector{FakeDriver::context(1), FakeDriver::context(77), FakeDriver::context(77)}));
  EXPECT_TRUE(fake.stack.empty());
  EXPECT_EQ(fake.retained, 0);
}

TEST(Memory, AFailedCopySaysWhatTheDriverSaid) {
  FakeDriver fake;
  fake.copy_result = CUDA_ERROR_ILLEGAL_ADDRESS;
  int from = 5, to = 0;
  try {
    copy(&to, &from, sizeof to, {MemoryKind::device, 0, FakeDriver::context(0), 0}, default_stream());
    FAIL() << "no Error";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "cuMemcpyAsync failed with CUDA_ERROR_FAKE: as the test wants");
    EXPECT_EQ(error.code(), XYLEM_ERROR_SYSTEM);
  }
  EXPECT_TRUE(fake.stack.empty());
}

TEST(Memory, ACapturedStreamIsNotWaitedFor) {
  FakeDriver fake;
  fake.capturing = reinterpret_cast<CUstream>(0x20);
  EXPECT_EQ(state_of(reinterpret_cast<CUstream>(0x10)), StreamState::ready);
  EXPECT_EQ(obstacle_to_waiting(StreamState::ready), nullptr);
  EXPECT_EQ(state_of(fake.capturing), StreamState::captured);
  EXPECT_NE(obstacle_to_waiting(StreamState::captured), nullptr);
}

TEST(Memory, OnlyWhatIsSaidOfAStreamIsItsState) {
  FakeDriver fake;
  const CUstream stream = reinterpret_cast<CUstream>(0x10);
  fake.capturing_result = CUDA_ERROR_INVALID_HANDLE;
  EXPECT_EQ(state_of(stream), StreamState::unknown);
  fake.capturing_result = CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
  EXPECT_EQ(state_of(default_stream()), StreamState::beside_capture);
  EXPECT_NE(obstacle_to_waiting(StreamState::beside_capture), nullptr);
  fake.capturing_result = CUDA_ERROR_ILLEGAL_ADDRESS;
  EXPECT_THROW(state_of(stream), Error);
}

TEST(PinnedMemory, IsLockedOnceAndUsedAgain) {
  FakeDriver fake;
  const Memory near{MemoryKind::device, 0, FakeDriver::context(0), 0};
  const std::byte* first = nullptr;
  {
    const PinnedMemory memory(100'000, near);
    EXPECT_GE(memory.bytes(), 100'000u);
    first = memory.data();
    EXPECT_EQ(fake.locked, 1);
  }
  EXPECT_EQ(fake.locked, 1);
  const PinnedMemory again(120'000, near);
  EXPECT_EQ(again.data(), first);
  const PinnedMemory other(120'000, near);
  EXPECT_NE(other.data(), first);
  EXPECT_EQ(fake.locked, 2);
}

TEST(PinnedMemory, IsPlainMemoryWhereTheDriverRefuses) {
  FakeDriver fake;
  fake.register_result = CUDA_ERROR_OUT_OF_MEMORY;
  const PinnedMemory memory(3'000'000, {MemoryKind::device, 0, FakeDriver::context(0), 0});
  std::memset(memory.data(), 1, memory.bytes());
  EXPECT_EQ(fake.locked, 0);
}

TEST(PinnedMemory, TooLargeAPieceIsGivenBackAtOnce) {
  FakeDriver fake;
  { const PinnedMemory memory(std::size_t{65} << 20, {MemoryKind::device, 0, FakeDriver::context(0), 0}); }
  EXPECT_EQ(fake.locked, 0);
}

}  // namespace
}  // namespace xylem::cuda

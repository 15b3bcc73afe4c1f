#include "shm/arena.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "gtest/gtest.h"
#include "process_state.hpp"
#include "ranks.hpp"

namespace xylem::shm {
namespace {

constexpr std::size_t kSmall = std::size_t{4} << 20;

bool all_zero(const Arena& arena, const Block& block) {
  const std::byte* const begin = arena.base() + block.offset;
  return std::all_of(begin, begin + block.bytes, [](std::byte value) { return value == std::byte{0}; });
}

TEST(Arena, StartsWithTheProofOfItsIdentity) {
  const Arena arena(kSmall);
  ArenaHead head;
  std::memcpy(&head, arena.base(), sizeof head);
  EXPECT_EQ(head.nonce, arena.id().nonce);
  EXPECT_EQ(head.bytes, kSmall);
  EXPECT_EQ(head.pid, getpid());
  EXPECT_EQ(head.layout_version, kLayoutVersion);
  EXPECT_NE(Arena(kSmall).id().nonce, arena.id().nonce);
}

TEST(Arena, FileIsPrivateSealedAndClosedOnExec) {
  const Arena arena(kSmall);
  struct stat status {};
  ASSERT_EQ(fstat(arena.id().fd, &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
  EXPECT_EQ(status.st_nlink, 0U);  // it has no name
  EXPECT_EQ(fcntl(arena.id().fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
  EXPECT_EQ(ftruncate(arena.id().fd, 0), -1);
  EXPECT_EQ(errno, EPERM);
}

TEST(Arena, BlocksAreDistinctPageAlignedAndZero) {
  Arena arena(kSmall);
  const auto first = arena.allocate(1);
  const auto second = arena.allocate(kPage + 1);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->offset, kPage);
  EXPECT_EQ(first->bytes, kPage);
  EXPECT_EQ(second->offset, 2 * kPage);
  EXPECT_EQ(second->bytes, 2 * kPage);
  EXPECT_TRUE(all_zero(arena, *first));
  EXPECT_EQ(arena.allocate(kSmall), std::nullopt);
  EXPECT_EQ(arena.free_bytes(), kSmall - 4 * kPage);
}

TEST(Arena, FreedBlocksAreZeroWhenAllocatedAgain) {
  Arena arena(kSmall);
  for (const std::size_t bytes : {kPage, 8 * kPage, 9 * kPage, 200 * kPage}) {
    const auto block = arena.allocate(bytes);
    ASSERT_TRUE(block);
    std::memset(arena.base() + block->offset, 0xff, block->bytes);
    arena.free(*block);
    const auto again = arena.allocate(bytes);
    ASSERT_TRUE(again);
    EXPECT_EQ(again->offset, block->offset);
    EXPECT_TRUE(all_zero(arena, *again)) << bytes;
    arena.free(*again);
  }
}

TEST(Arena, MemoryIsTakenWhenTouchedAndGivenBackWhenFreed) {
  Arena arena;
  const std::size_t before = test::touched_bytes(arena);
  EXPECT_LE(before, 2 * kPage);
  const auto block = arena.allocate(std::size_t{8} << 20);
  ASSERT_TRUE(block);
  EXPECT_EQ(test::touched_bytes(arena), before);
  std::memset(arena.base() + block->offset, 1, block->bytes);
  EXPECT_EQ(test::touched_bytes(arena), before + block->bytes);
  arena.free(*block);
  EXPECT_EQ(test::touched_bytes(arena), before);
}

TEST(Arena, RetiredBlockStaysUntilAllReadersHaveClosed) {
  Arena arena(kSmall);
  const std::size_t whole = arena.free_bytes();
  const auto block = arena.allocate(kPage);
  ASSERT_TRUE(block);
  auto& closed = *reinterpret_cast<std::uint32_t*>(arena.base() + block->offset);
  arena.retire(*block, closed, 2);
  const auto other = arena.allocate(kPage);
  ASSERT_TRUE(other);
  EXPECT_NE(other->offset, block->offset);
  arena.free(*other);
  std::atomic_ref(closed).fetch_add(1);
  const auto third = arena.allocate(kPage);
  ASSERT_TRUE(third);
  EXPECT_NE(third->offset, block->offset);
  arena.free(*third);
  std::atomic_ref(closed).fetch_add(1);
  const auto fourth = arena.allocate(kPage);
  ASSERT_TRUE(fourth);
  EXPECT_EQ(fourth->offset, block->offset);
  EXPECT_TRUE(all_zero(arena, *fourth));
  arena.free(*fourth);
  EXPECT_EQ(arena.free_bytes(), whole);
}

TEST(Arena, BlockThatEverybodyHasClosedIsFreedWhenRetired) {
  Arena arena(kSmall);
  const std::size_t whole = arena.free_bytes();
  const auto block = arena.allocate(kPage);
  ASSERT_TRUE(block);
  auto& closed = *reinterpret_cast<std::uint32_t*>(arena.base() + block->offset);
  std::atomic_ref(closed).fetch_add(3);
  arena.retire(*block, closed, 3);
  EXPECT_EQ(arena.free_bytes(), whole);
}

TEST(Arena, ThreadsMayAllocateAtOnce) {
  Arena arena(kSmall);
  const std::size_t whole = arena.free_bytes();
  std::vector<std::thread> threads;
  for (unsigned char mark = 1; mark <= 4; ++mark) {
    threads.emplace_back([&arena, mark] {
      for (int i = 0; i < 500; ++i) {
        const auto block = arena.allocate((1 + mark % 3U) * kPage);
        ASSERT_TRUE(block);
        std::byte* const begin = arena.base() + block->offset;
        ASSERT_EQ(begin[block->bytes - 1], std::byte{0});
        std::memset(begin, mark, block->bytes);
        ASSERT_EQ(begin[block->bytes - 1], std::byte{mark});
        arena.free(*block);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(arena.free_bytes(), whole);
}

TEST(Arena, KeepsWithinTheLimitOfFileSize) {
  EXPECT_TRUE(test::succeeded(test::start_process([] {
    const rlimit limit{kSmall + 5, kSmall + 5};
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
    EXPECT_EQ(Arena().id().bytes, kSmall);
  })));
}

TEST(Arena, LeavesAddressSpaceForThePeers) {
  constexpr std::size_t kLimit = std::size_t{8} << 30;
  std::size_t pages_in_use = 0;
  std::ifstream("/proc/self/statm") >> pages_in_use;
  if (pages_in_use * kPage > kLimit / 2) GTEST_SKIP() << "a sanitizer has reserved more address space than the limit";
  EXPECT_TRUE(test::succeeded(test::start_process([] {
    const rlimit limit{kLimit, kLimit};
    ASSERT_EQ(setrlimit(RLIMIT_AS, &limit), 0);
    EXPECT_EQ(Arena().id().bytes, kLimit / 512);
  })));
}

TEST(Arena, SaysWhichLimitLeavesNoRoom) {
  EXPECT_TRUE(test::succeeded(test::start_process([] {
    const rlimit limit{kPage, kPage};
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
    try {
      const Arena arena;
      ADD_FAILURE() << "no error";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), XYLEM_ERROR_OUT_OF_MEMORY);
      EXPECT_NE(std::string(error.what()).find("ulimit -f"), std::string::npos) << error.what();
    }
  })));
}

TEST(Arena, ForkedChildHasOneOfItsOwn) {
  Arena& parents = Arena::of_process();
  EXPECT_EQ(&parents, &Arena::of_process());
  EXPECT_EQ(test::mapped_arenas(), 1U);
  EXPECT_TRUE(test::succeeded(test::start_process([&parents] {
    EXPECT_EQ(test::mapped_arenas(), 0U);  // the parent's is out of reach
    Arena& own = Arena::of_process();
    EXPECT_NE(own.id().nonce, parents.id().nonce);
    EXPECT_EQ(own.id().pid, getpid());
    EXPECT_TRUE(own.allocate(kPage));
  })));
}

TEST(Arena, DestroyedCopyInAForkedChildUnmapsNothing) {
  auto arena = std::make_unique<Arena>(kSmall);
  EXPECT_TRUE(test::succeeded(test::start_process([&arena] {
    // Something else may lie where the parent has its arena.
    void* const address = arena->base();
    ASSERT_EQ(mmap(address, kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0), address);
    arena.reset();
    EXPECT_EQ(*static_cast<const char*>(address), 0);
  })));
  EXPECT_EQ(arena->base()[kPage], std::byte{0});
}

}  // namespace
}  // namespace xylem::shm

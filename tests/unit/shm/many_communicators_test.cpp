// 5,000 communicators one after the other, and 1,500 at once: memory and descriptors stay bounded.
#include <cstring>
#include <deque>

#include "gtest/gtest.h"
#include "process_state.hpp"
#include "ranks.hpp"
#include "shm/host_memory.hpp"

namespace xylem::shm {
namespace {

// One slot in each direction, and one epoch of the board.
void use(const HostMemory& memory, test::Meeting& meeting) {
  const int peer = 1 - memory.local_rank();
  const exec::Channel sender = memory.sender(peer);
  const exec::Channel receiver = memory.receiver(peer);
  const exec::Board board = memory.board();
  ASSERT_EQ(exec::load_acquire(receiver.head->position), 0U);
  ASSERT_EQ(board.word(board.rank), 0U);
  std::memset(sender.slot(), 1 + memory.local_rank(), sender.slot_bytes);
  exec::store_release(sender.tail->position, std::uint64_t{1});
  exec::store_release(board.word(board.rank), exec::BoardWord::make(0, 0));
  meeting.barrier();
  ASSERT_EQ(exec::load_acquire(receiver.tail->position), 1U);
  ASSERT_EQ(receiver.slot()[receiver.slot_bytes - 1], static_cast<std::byte>(1 + peer));
  exec::store_release(receiver.head->position, std::uint64_t{1});
  ASSERT_TRUE(exec::BoardWord::is_of(exec::load_acquire(board.word(1 - board.rank)), 0));
}

constexpr int kCycles = 5000;
const std::size_t kLargestBlock = round_up(BlockLayout(2, choose_shape(2, kArenaBytes)).bytes(), kPage);

void cycles_body(int rank, test::Meeting& meeting) {
  HostMemory world(rank, 2);
  meeting.attach(world);
  std::size_t descriptors = 0;
  for (int cycle = 0; cycle < kCycles; ++cycle) {
    HostMemory memory(rank, 2);
    meeting.attach(memory);
    use(memory, meeting);
    if (cycle == 0) descriptors = test::open_descriptors();
    if (cycle % 500 == 0) {
      // Each of at most two ranks here has the world, this one and its predecessor, of which the peer had not let go.
      ASSERT_GE(Arena::of_process().free_bytes(), kArenaBytes - kPage - 6 * kLargestBlock);
      ASSERT_LE(test::touched_bytes(Arena::of_process()), std::size_t{1} << 20);
    }
  }
  // Counting opens one descriptor, and the other thread may be counting too.
  EXPECT_LE(test::open_descriptors(), descriptors + 1);
}

TEST(ManyCommunicators, FiveThousandInARowOfProcesses) { test::run_processes(2, cycles_body); }
TEST(ManyCommunicators, FiveThousandInARowOfThreads) { test::run_threads(2, cycles_body); }

TEST(ManyCommunicators, FifteenHundredAlive) {
  test::run_processes(2, [](int rank, test::Meeting& meeting) {
    std::size_t descriptors = 0;
    std::deque<HostMemory> alive;
    for (int i = 0; i < 1500; ++i) {
      meeting.attach(alive.emplace_back(rank, 2));
      use(alive.back(), meeting);
      if (i == 0) descriptors = test::open_descriptors();
    }
    EXPECT_EQ(test::open_descriptors(), descriptors);
    EXPECT_EQ(test::mapped_arenas(), 2U);
    EXPECT_EQ(alive.front().min_slot_bytes(), kMaxSlotBytes);
    EXPECT_GE(alive.back().min_slot_bytes(), 4096U);
    EXPECT_LE(test::touched_bytes(Arena::of_process()), std::size_t{128} << 20);
    alive.clear();
    meeting.barrier();
    HostMemory(0, 1);
    EXPECT_EQ(Arena::of_process().free_bytes(), kArenaBytes - kPage);
    EXPECT_LE(test::touched_bytes(Arena::of_process()), std::size_t{16} << 10);
    EXPECT_EQ(test::mapped_arenas(), 1U);
  });
}

// Nodes have far more cores than the machine of this test: the reservations alone.
TEST(ManyCommunicators, FifteenHundredOfSixtyFourRanksFit) {
  std::deque<HostMemory> alive;
  for (int i = 0; i < 1500; ++i) alive.emplace_back(0, 64);
  EXPECT_GE(alive.front().info().shape.slot_bytes, 16384U);
  EXPECT_LE(test::touched_bytes(Arena::of_process()), 2 * kPage);
  for (HostMemory& memory : alive) memory.abandon();
  alive.clear();
  EXPECT_EQ(Arena::of_process().free_bytes(), kArenaBytes - kPage);
}

}  // namespace
}  // namespace xylem::shm

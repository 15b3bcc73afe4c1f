// Who may destroy when, and what is left then.
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "gtest/gtest.h"
#include "process_state.hpp"
#include "ranks.hpp"
#include "shm/host_memory.hpp"

namespace xylem::shm {
namespace {

// A new communicator is also the occasion to take back what others have let go of.
void reclaim() { HostMemory(0, 1); }

void slow_reader_body(int rank, test::Meeting& meeting) {
  auto memory = std::make_unique<HostMemory>(rank, 2);
  meeting.attach(*memory);
  if (rank == 0) {
    const exec::Channel sender = memory->sender(1);
    std::memset(sender.slot(), 5, sender.slot_bytes);
    exec::store_release(sender.tail->position, std::uint64_t{1});
    const std::uint64_t offset = memory->info().offset;
    memory.reset();
    // What comes next must not be laid over what the peer still reads.
    HostMemory next(0, 1);
    EXPECT_NE(next.info().offset, offset);
    meeting.barrier();
    meeting.barrier();
  } else {
    meeting.barrier();  // rank 0 has destroyed
    const exec::Channel receiver = memory->receiver(0);
    EXPECT_EQ(exec::load_acquire(receiver.tail->position), 1U);
    for (std::uint32_t i = 0; i < receiver.slot_bytes; ++i) ASSERT_EQ(receiver.slot()[i], std::byte{5}) << i;
    exec::store_release(receiver.head->position, std::uint64_t{1});
    memory->raise_abort(1);
    memory.reset();
    meeting.barrier();
  }
}

TEST(Lifetime, ThreadReadsAfterTheOwnerHasDestroyed) {
  test::run_threads(2, slow_reader_body);
  reclaim();
  EXPECT_EQ(Arena::of_process().free_bytes(), kArenaBytes - kPage);
}

TEST(Lifetime, ProcessReadsAfterTheOwnerHasDestroyed) {
  test::run_processes(2, [](int rank, test::Meeting& meeting) {
    slow_reader_body(rank, meeting);
    reclaim();
    EXPECT_EQ(Arena::of_process().free_bytes(), kArenaBytes - kPage);
  });
}

TEST(Lifetime, AnyOrderOfDestroyingGivesEverythingBack) {
  test::run_processes(3, [](int rank, test::Meeting& meeting) {
    for (int first = 0; first < 3; ++first) {
      std::optional<HostMemory> memory;
      memory.emplace(rank, 3);
      meeting.attach(*memory);
      for (int turn = 0; turn < 3; ++turn) {
        if ((first + turn) % 3 == rank) memory.reset();
        meeting.barrier();
      }
      reclaim();
      EXPECT_EQ(Arena::of_process().free_bytes(), kArenaBytes - kPage);
      EXPECT_EQ(test::mapped_arenas(), 1U);  // the own one
    }
  });
}

TEST(Lifetime, AbandonedBlocksAreFreeAtOnce) {
  test::run_processes(3, [](int rank, test::Meeting& meeting) {
    HostMemory* const memory = new HostMemory(rank, 3);
    if (rank != 1) {
      meeting.attach(*memory);
    } else {
      meeting.gather(*memory);  // as if its attach() had failed
    }
    meeting.barrier();
    memory->abandon();
    delete memory;
    EXPECT_EQ(Arena::of_process().free_bytes(), kArenaBytes - kPage);
    EXPECT_EQ(test::mapped_arenas(), 1U);
  });
}

TEST(Lifetime, ForkedChildThatDestroysItsCopyDisturbsNobody) {
  test::run_processes(2, [](int rank, test::Meeting& meeting) {
    auto memory = std::make_unique<HostMemory>(rank, 2);
    meeting.attach(*memory);
    EXPECT_TRUE(test::succeeded(test::start_process([&memory] { memory.reset(); })));
    meeting.barrier();
    reclaim();
    const int peer = 1 - rank;
    exec::store_release(memory->sender(peer).tail->position, std::uint64_t{1});
    meeting.barrier();
    EXPECT_EQ(exec::load_acquire(memory->receiver(peer).tail->position), 1U);
    memory.reset();
    meeting.barrier();
    reclaim();
    EXPECT_EQ(Arena::of_process().free_bytes(), kArenaBytes - kPage);
  });
}

std::set<std::string> names_in(const char* folder) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) names.insert(entry.path().filename());
  return names;
}

TEST(Lifetime, KilledRanksLeaveNoName) {
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  const std::set<std::string> before = names_in("/dev/shm");
  test::Meeting meeting(2);
  pid_t children[2];
  for (int rank = 0; rank < 2; ++rank) {
    children[rank] = test::start_process([&meeting, &ends, rank] {
      HostMemory memory(rank, 2);
      meeting.attach(memory);
      std::memset(memory.sender(1 - rank).slot(), 1, 64);
      EXPECT_EQ(write(ends[1], "", 1), 1);
      for (;;) pause();
    });
  }
  char ready = 0;
  for (int rank = 0; rank < 2; ++rank) ASSERT_EQ(read(ends[0], &ready, 1), 1);
  for (const std::string& name : names_in("/dev/shm")) {
    EXPECT_TRUE(before.count(name) == 1 || name.find("xylem") == std::string::npos) << name;
  }
  for (const pid_t child : children) {
    kill(child, SIGKILL);
    EXPECT_FALSE(test::succeeded(child));
  }
  for (const std::string& name : names_in("/dev/shm")) {
    EXPECT_TRUE(before.count(name) == 1 || name.find("xylem") == std::string::npos) << name;
  }
  close(ends[0]);
  close(ends[1]);
}

}  // namespace
}  // namespace xylem::shm

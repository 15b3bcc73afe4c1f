#include "shm/host_memory.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "ranks.hpp"

namespace xylem::shm {
namespace {

using exec::load_acquire;
using exec::store_release;
using testing::HasSubstr;

std::byte pattern(int from, int to, std::uint64_t position, std::size_t index) {
  return static_cast<std::byte>(
      (static_cast<std::uint64_t>(from) * 7 + static_cast<std::uint64_t>(to) * 13 + position * 31 + index) % 251);
}

// An odd payload for each position, the full slot now and then.
std::uint32_t length(const exec::Channel& channel) {
  return channel.position % 5 == 4 ? channel.slot_bytes
                                   : static_cast<std::uint32_t>(1 + channel.position * 97 % channel.slot_bytes);
}

bool can_send(const exec::Channel& sender) { return sender.position - load_acquire(sender.head->position) < exec::kSlots; }

void send(exec::Channel& sender, int from, int to) {
  const std::uint32_t bytes = length(sender);
  for (std::size_t i = 0; i < bytes; ++i) sender.slot()[i] = pattern(from, to, sender.position, i);
  sender.tail->bytes[sender.position % exec::kSlots] = bytes;
  store_release(sender.tail->position, ++sender.position);
}

bool can_receive(const exec::Channel& receiver) { return load_acquire(receiver.tail->position) > receiver.position; }

void receive(exec::Channel& receiver, int from, int to) {
  const std::uint32_t bytes = receiver.tail->bytes[receiver.position % exec::kSlots];
  ASSERT_EQ(bytes, length(receiver));
  for (std::size_t i = 0; i < bytes; ++i) {
    ASSERT_EQ(receiver.slot()[i], pattern(from, to, receiver.position, i)) << from << " to " << to << ", byte " << i;
  }
  store_release(receiver.head->position, ++receiver.position);
}

// Every rank sends `count` slots to every other, in whatever order they get through.
void exchange_all(const HostMemory& memory, std::uint64_t count) {
  const int rank = memory.local_rank();
  std::vector<exec::Channel> senders, receivers;
  for (int peer = 0; peer < memory.local_size(); ++peer) {
    senders.push_back(peer == rank ? exec::Channel{} : memory.sender(peer));
    receivers.push_back(peer == rank ? exec::Channel{} : memory.receiver(peer));
  }
  for (bool busy = true; busy;) {
    busy = false;
    for (int peer = 0; peer < memory.local_size(); ++peer) {
      if (peer == rank) continue;
      exec::Channel& sender = senders[static_cast<std::size_t>(peer)];
      exec::Channel& receiver = receivers[static_cast<std::size_t>(peer)];
      if (sender.position < count && can_send(sender)) send(sender, rank, peer);
      if (receiver.position < count && can_receive(receiver)) receive(receiver, peer, rank);
      busy = busy || sender.position < count || receiver.position < count;
    }
    std::this_thread::yield();
  }
}

void exchange_body(int rank, test::Meeting& meeting) {
  HostMemory memory(rank, meeting.size());
  meeting.attach(memory);
  exchange_all(memory, 23);
}

class Exchange : public testing::TestWithParam<int> {};

TEST_P(Exchange, ThreadsReachEachOther) { test::run_threads(GetParam(), exchange_body); }
TEST_P(Exchange, ProcessesReachEachOther) { test::run_processes(GetParam(), exchange_body); }

INSTANTIATE_TEST_SUITE_P(Ranks, Exchange, testing::Values(1, 2, 3, 5, 8), testing::PrintToStringParamName());

// Two communicators of the same ranks do not disturb each other, nor do ranks numbered differently in them.
TEST(HostMemory, CommunicatorsAreApart) {
  test::run_threads(3, [](int rank, test::Meeting& meeting) {
    HostMemory first(rank, 3);
    HostMemory second((rank + 1) % 3, 3);
    meeting.attach(first);
    meeting.attach(second);
    exchange_all(second, 7);
    exchange_all(first, 11);
  });
}

void board_body(int rank, test::Meeting& meeting) {
  HostMemory memory(rank, meeting.size());
  meeting.attach(memory);
  exec::Board board = memory.board();
  ASSERT_EQ(board.rank, static_cast<std::uint32_t>(rank));
  ASSERT_EQ(board.size, static_cast<std::uint32_t>(meeting.size()));
  ASSERT_EQ(board.payload_bytes, memory.min_board_payload());
  ASSERT_EQ(board.payload_bytes, board_payload_of(board_stride_for(kMaxBoardBytes)));
  ASSERT_LE(board.payload_bytes + sizeof(std::uint64_t), board.stride);
  for (; board.epoch < 2 * exec::kBoardDepth + 1; ++board.epoch) {
    const auto mark = [&board](std::uint32_t of) { return static_cast<int>(1 + board.epoch * 16 + of); };
    std::memset(board.payload(board.rank), mark(board.rank), board.payload_bytes);
    store_release(board.word(board.rank), exec::BoardWord::make(board.epoch, 77));
    meeting.barrier();
    for (std::uint32_t of = 0; of < board.size; ++of) {
      ASSERT_EQ(load_acquire(board.word(of)), exec::BoardWord::make(board.epoch, 77));
      ASSERT_EQ(board.payload(of)[0], static_cast<std::byte>(mark(of)));
      ASSERT_EQ(board.payload(of)[board.payload_bytes - 1], static_cast<std::byte>(mark(of)));
    }
    store_release(board.done[board.rank]->epochs, board.epoch + 1);
    meeting.barrier();
    for (std::uint32_t of = 0; of < board.size; ++of) ASSERT_EQ(load_acquire(board.done[of]->epochs), board.epoch + 1);
  }
}

TEST(HostMemory, BoardIsSeenByThreads) { test::run_threads(4, board_body); }
TEST(HostMemory, BoardIsSeenByProcesses) { test::run_processes(4, board_body); }

TEST(HostMemory, AbortReachesAllAndTheFirstReasonStays) {
  const auto body = [](int rank, test::Meeting& meeting) {
    HostMemory memory(rank, meeting.size());
    meeting.attach(memory);
    EXPECT_EQ(load_acquire(memory.abort_word()), 0U);
    meeting.barrier();
    if (rank == 1) memory.raise_abort(4);
    meeting.barrier();
    EXPECT_EQ(load_acquire(memory.abort_word()), 4U);
    if (rank == 2) memory.raise_abort(3);
    meeting.barrier();
    EXPECT_EQ(load_acquire(memory.abort_word()), 4U);
  };
  test::run_threads(3, body);
  test::run_processes(3, body);
}

TEST(HostMemory, RecordsTellWhatPeersDo) {
  const auto body = [](int rank, test::Meeting& meeting) {
    HostMemory memory(rank, meeting.size());
    meeting.attach(memory);
    EXPECT_EQ(memory.log(0).last().sequence, 0U);
    meeting.barrier();
    CallRecord call{};
    call.sequence = 17;
    call.bytes = std::uint64_t{1} << 40;
    call.history = 0xabcdef;
    call.collective = 2;
    call.op = 3;
    call.type = 11;
    call.root = -1;
    call.ordinal = 1000U + static_cast<unsigned>(rank);
    memory.own_log().enter(call);
    meeting.barrier();
    for (int peer = 0; peer < meeting.size(); ++peer) {
      const CallRecord seen = memory.log(peer).last();
      EXPECT_EQ(seen.sequence, 17U);
      EXPECT_EQ(seen.bytes, std::uint64_t{1} << 40);
      EXPECT_EQ(seen.history, 0xabcdefU);
      EXPECT_EQ(seen.collective, 2U);
      EXPECT_EQ(seen.op, 3U);
      EXPECT_EQ(seen.type, 11U);
      EXPECT_EQ(seen.root, -1);
      EXPECT_EQ(seen.ordinal, 1000U + static_cast<unsigned>(peer));
    }
  };
  test::run_threads(3, body);
  test::run_processes(2, body);
}

// A rank whose arena is nearly full has a smaller block; its peers take what fits all.
TEST(HostMemory, RanksOfDifferentShapesAgreeOnTheSmallest) {
  test::run_processes(3, [](int rank, test::Meeting& meeting) {
    ASSERT_TRUE(rank != 1 || Arena::of_process().allocate(kArenaBytes / 2));
    HostMemory memory(rank, meeting.size());
    const BlockShape own = memory.info().shape;
    const BlockShape small = choose_shape(3, std::size_t{128} << 10);
    EXPECT_EQ(own, rank == 1 ? small : (BlockShape{kMaxSlotBytes, board_stride_for(kMaxBoardBytes)}));
    meeting.attach(memory);
    EXPECT_EQ(memory.min_slot_bytes(), small.slot_bytes);
    EXPECT_EQ(memory.min_board_payload(), board_payload_of(small.board_stride));
    EXPECT_EQ(memory.board().stride, small.board_stride);
    const int next = (rank + 1) % 3;
    EXPECT_EQ(memory.sender(next).slot_bytes, own.slot_bytes);
    EXPECT_EQ(memory.receiver(next).slot_bytes, next == 1 ? small.slot_bytes : kMaxSlotBytes);
    exchange_all(memory, 9);
  });
}

class BadInfo : public testing::Test {
 protected:
  // What attach() says about the peer's info after `spoil` had its way.
  template <class Spoil>
  std::string refusal(Spoil spoil) {
    HostMemory own(0, 2);
    HostMemory peer(1, 2);
    std::vector<BlockInfo> infos = {own.info(), peer.info()};
    spoil(infos);
    std::string what = "nothing: it was accepted";
    try {
      own.attach(infos);
    } catch (const Error& error) {
      what = error.what();
    }
    own.abandon();
    peer.abandon();
    return what;
  }
};

TEST_F(BadInfo, IsAcceptedUnspoiled) {
  EXPECT_EQ(refusal([](auto&) {}), "nothing: it was accepted");
}

TEST_F(BadInfo, WrongNumberOfRanks) {
  EXPECT_THAT(refusal([](auto& infos) { infos.pop_back(); }), HasSubstr("blocks of 1 local ranks for a host of 2"));
}

TEST_F(BadInfo, WrongOrderOrGroup) {
  EXPECT_THAT(refusal([](auto& infos) { std::swap(infos[0], infos[1]); }), HasSubstr("announced as that of rank 1 of 2"));
  EXPECT_THAT(refusal([](auto& infos) { infos[1].local_size = 3; }), HasSubstr("announced as that of rank 1 of 3"));
}

TEST_F(BadInfo, ImpossibleShape) {
  EXPECT_THAT(refusal([](auto& infos) { infos[1].shape.slot_bytes = 100; }), HasSubstr("which cannot be"));
  EXPECT_THAT(refusal([](auto& infos) { infos[1].shape.board_stride = 0; }), HasSubstr("which cannot be"));
}

TEST_F(BadInfo, BlockOutsideOfTheArena) {
  const std::uint64_t offsets[] = {0, 8, kPage + 64, kArenaBytes, kArenaBytes - kPage, ~std::uint64_t{kPage - 1}};
  for (const std::uint64_t offset : offsets) {
    EXPECT_THAT(refusal([offset](auto& infos) { infos[1].offset = offset; }), HasSubstr("lies outside")) << offset;
  }
  EXPECT_THAT(refusal([](auto& infos) { infos[1].arena.bytes = kPage; }), HasSubstr("lies outside"));
}

TEST_F(BadInfo, AnotherArena) {
  const std::string what = refusal([](auto& infos) { ++infos[1].arena.nonce; });
  EXPECT_THAT(what, HasSubstr("local rank 0 to local rank 1: "));
  EXPECT_THAT(what, HasSubstr("it belongs to another process"));
  EXPECT_THAT(what, HasSubstr("XYLEM_HOSTID"));
}

// Takes all of this process's arena in pieces of `bytes`, the rest page by page, until destroyed.
class FullArena {
 public:
  explicit FullArena(std::size_t bytes) {
    while (const auto block = Arena::of_process().allocate(bytes)) blocks_.push_back(*block);
    while (const auto block = Arena::of_process().allocate(kPage)) blocks_.push_back(*block);
  }
  ~FullArena() {
    for (const Block& block : blocks_) Arena::of_process().free(block);
  }
  FullArena(const FullArena&) = delete;
  FullArena& operator=(const FullArena&) = delete;

  void free_every_third() {
    std::vector<Block> kept;
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      if (i % 3 == 0) {
        Arena::of_process().free(blocks_[i]);
      } else {
        kept.push_back(blocks_[i]);
      }
    }
    blocks_ = kept;
  }

 private:
  std::vector<Block> blocks_;
};

TEST(HostMemory, FailsWhenTheArenaIsFull) {
  const FullArena full(std::size_t{1} << 20);
  try {
    const HostMemory memory(0, 4);
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), XYLEM_ERROR_OUT_OF_MEMORY);
    EXPECT_THAT(error.what(), HasSubstr("0 of 536870912 are free"));
  }
}

TEST(HostMemory, TakesASmallerBlockWhereTheArenaIsFragmented) {
  FullArena full(2 * kPage);
  full.free_every_third();
  ASSERT_GT(block_limit(kArenaBytes, Arena::of_process().free_bytes()), 4 * kPage);
  HostMemory memory(0, 2);
  EXPECT_EQ(round_up(BlockLayout(2, memory.info().shape).bytes(), kPage), 2 * kPage);
  memory.abandon();
}

}  // namespace
}  // namespace xylem::shm

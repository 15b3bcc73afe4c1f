#include "shm/peers.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <string>

#include "base/error.hpp"
#include "gmock/gmock.h"
#include "process_state.hpp"
#include "ranks.hpp"

namespace xylem::shm {
namespace {

using testing::HasSubstr;

constexpr std::size_t kSmall = std::size_t{1} << 20;

// What open() says when it refuses.
std::string refusal(const ArenaId& id) {
  try {
    PeerArenas().open(id);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), XYLEM_ERROR_SYSTEM);
    return error.what();
  }
  return "nothing: it was opened";
}

TEST(PeerArenas, OwnArenaIsGivenAsItIs) {
  const std::size_t mapped = (Arena::of_process(), test::mapped_arenas());
  EXPECT_EQ(PeerArenas().open(Arena::of_process().id()).get(), Arena::of_process().base());
  EXPECT_EQ(test::mapped_arenas(), mapped);
}

TEST(PeerArenas, AnotherArenaIsMappedOnceAndUnmappedWithItsLastUser) {
  const Arena other(kSmall);
  PeerArenas peers;
  Arena::of_process();
  const std::size_t mapped = test::mapped_arenas();
  const std::size_t descriptors = test::open_descriptors();
  auto first = peers.open(other.id());
  auto second = peers.open(other.id());
  EXPECT_EQ(first, second);
  EXPECT_NE(first.get(), other.base());
  other.base()[kSmall - 1] = std::byte{42};
  EXPECT_EQ(first.get()[kSmall - 1], std::byte{42});
  EXPECT_EQ(test::mapped_arenas(), mapped + 1);
  EXPECT_EQ(test::open_descriptors(), descriptors);
  first.reset();
  EXPECT_EQ(second.get()[kSmall - 1], std::byte{42});
  second.reset();
  EXPECT_EQ(test::mapped_arenas(), mapped);
  EXPECT_EQ(peers.open(other.id()).get()[kSmall - 1], std::byte{42});
}

TEST(PeerArenas, MappingOutlivesTheProcess) {
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  const pid_t child = test::start_process([&ends] {
    const Arena arena(kSmall);
    arena.base()[kPage] = std::byte{7};
    char done = 0;
    EXPECT_EQ(write(ends[1], &arena.id(), sizeof(ArenaId)), static_cast<ssize_t>(sizeof(ArenaId)));
    EXPECT_EQ(read(ends[1], &done, 1), 1);
  });
  ArenaId id{};
  ASSERT_EQ(read(ends[0], &id, sizeof id), static_cast<ssize_t>(sizeof id));
  EXPECT_EQ(id.pid, child);
  PeerArenas peers;
  auto arena = peers.open(id);
  ASSERT_EQ(write(ends[0], "", 1), 1);
  EXPECT_TRUE(test::succeeded(child));
  EXPECT_EQ(arena.get()[kPage], std::byte{7});
  EXPECT_EQ(peers.open(id), arena);  // still known
  EXPECT_THAT(refusal(id), HasSubstr("The process has ended"));
  close(ends[0]);
  close(ends[1]);
}

TEST(PeerArenas, RefusesAnotherNonceOrPid) {
  const Arena other(kSmall);
  ArenaId id = other.id();
  ++id.nonce;
  EXPECT_THAT(refusal(id), HasSubstr("it belongs to another process"));
  EXPECT_TRUE(test::succeeded(test::start_process([&other] {
    // The same file by the same number, but in a process that did not make it.
    ArenaId inherited = other.id();
    inherited.pid = getpid();
    EXPECT_THAT(refusal(inherited), HasSubstr("it belongs to another process"));
  })));
}

TEST(PeerArenas, RefusesAnotherSize) {
  const Arena other(kSmall);
  ArenaId id = other.id();
  id.bytes += kPage;
  EXPECT_THAT(refusal(id), HasSubstr("it has 1048576 bytes and not the announced 1052672"));
  id.bytes = 8;
  EXPECT_THAT(refusal(id), HasSubstr("not the announced 8"));
  // Also when the arena is mapped already.
  PeerArenas peers;
  const auto arena = peers.open(other.id());
  EXPECT_THROW(peers.open(id), Error);
}

TEST(PeerArenas, RefusesAnotherLayout) {
  const Arena other(kSmall);
  reinterpret_cast<ArenaHead*>(other.base())->layout_version = kLayoutVersion + 1;
  EXPECT_THAT(refusal(other.id()), HasSubstr("All ranks must load the same version of Xylem"));
}

TEST(PeerArenas, RefusesWhatIsNoArena) {
  const Arena other(kSmall);
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  ArenaId id = other.id();
  id.fd = ends[0];
  EXPECT_THAT(refusal(id), HasSubstr("it is not what the rank announced"));
  close(ends[0]);
  EXPECT_THAT(refusal(id), HasSubstr("No such file or directory"));
  close(ends[1]);
  std::FILE* const file = std::tmpfile();  // could be cut short at any time
  ASSERT_NE(file, nullptr);
  ASSERT_EQ(ftruncate(fileno(file), kSmall), 0);
  id.fd = fileno(file);
  EXPECT_THAT(refusal(id), HasSubstr("it is not what the rank announced"));
  std::fclose(file);
}

TEST(PeerArenas, AnotherUserIsRefused) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can become another user";
  const Arena other(kSmall);
  EXPECT_TRUE(test::succeeded(test::start_process([&other] {
    ASSERT_EQ(setgid(65534), 0);
    ASSERT_EQ(setuid(65534), 0);
    EXPECT_THAT(refusal(other.id()), HasSubstr("Ranks of one host must run as the same user"));
  })));
}

}  // namespace
}  // namespace xylem::shm

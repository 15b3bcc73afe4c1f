// What goes wrong on the wire or at a peer ends in a failure with words, never in a crash or a hang.
#include <gmock/gmock.h>
#include <rdma/fi_errno.h>
#include <sys/stat.h>

#include <csignal>

#include "base/error.hpp"
#include "ofi/candidates.hpp"
#include "ofi/endpoint.hpp"
#include "ofi/library.hpp"
#include "ofi/memory.hpp"
#include "ofi/wire.hpp"
#include "ranks.hpp"

namespace xylem::ofi::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// An endpoint that says what it likes to rank 1 of a pair, as rank 0 would.
class Forger {
 public:
  Forger(const std::string& provider, const ConnectInfo& target)
      : endpoint_(choose_provider(on_loopback(provider)).info),
        to_(endpoint_.insert(std::span(target.address).first(target.address_bytes))),
        link_(target.first_link),
        buffer_(endpoint_, 1 << 17) {
    buffer_.allow(Endpoint::Access::local);
  }
  // The victim may have failed before the provider was done with the buffer.
  ~Forger() { endpoint_.close(); }
  Forger(const Forger&) = delete;
  Forger& operator=(const Forger&) = delete;

  void send(Tag tag, const Data& data, std::size_t bytes, Links& victim) {
    tag.link = link_;
    Operation operation;
    bool done = false;
    while (endpoint_.send({buffer_.data(), bytes, buffer_.descriptor()}, to_, pack(tag), pack(data), operation) == -FI_EAGAIN)
      step(victim, done);
    // Small messages are taken at once, and reach nobody before the provider is driven.
    done = !operation.pending;
    do step(victim, done);
    while (!done && !victim.failed());
  }

  std::uint64_t& link() { return link_; }

 private:
  void step(Links& victim, bool& done) {
    endpoint_.poll([&](const Completion&) { done = true; });
    victim.progress();
  }

  Endpoint endpoint_;
  fi_addr_t to_;
  std::uint64_t link_;
  Memory buffer_;
};

class Forgery : public testing::TestWithParam<const char*> {
 protected:
  Forgery()
      : pair_(Network::open(on_loopback(GetParam()))),
        bystanders_(Network::open(on_loopback(GetParam()))),
        forger_(GetParam(), victim().info()) {}

  Links& victim() { return *pair_.links[1]; }
  // Sends it and waits for what the victim says; other communicators must not care.
  std::string failure_from(const Tag& tag, const Data& data, std::size_t bytes) {
    forger_.send(tag, data, bytes, victim());
    wait(*bystanders_.links[0], [&] { return victim().failed(); });
    EXPECT_FALSE(bystanders_.links[1]->failed());
    return victim().failure();
  }

  static constexpr Tag kPayload{MessageKind::payload, 0, 0};
  Pair pair_;
  Pair bystanders_;
  Forger forger_;
};

TEST_P(Forgery, AnHonestMessageIsTaken) {
  exec::Channel channel = victim().receiver(0);
  forger_.send(kPayload, {5, 0, 0}, 10, victim());
  wait(victim(), [&] { return exec::load_acquire(channel.tail->position) == 1; });
  EXPECT_EQ(channel.tail->bytes[0], 10U);
  EXPECT_EQ(channel.tail->signature[0], 5U);
}

TEST_P(Forgery, PositionFromTheFuture) {
  EXPECT_THAT(failure_from(kPayload, {5, 4, 0}, 10),
              AllOf(HasSubstr(GetParam()), HasSubstr("malformed message from rank 0: slot 4 where 0 is next")));
}

TEST_P(Forgery, PositionFromThePast) {
  EXPECT_THAT(failure_from(kPayload, {5, 0xffff, 0}, 10), HasSubstr("slot 65535 where 0 is next"));
}

TEST_P(Forgery, TheSameSlotTwice) {
  forger_.send(kPayload, {5, 2, 0}, 10, victim());
  EXPECT_FALSE(victim().failed());
  EXPECT_THAT(failure_from(kPayload, {5, 2, 0}, 10), HasSubstr("slot 2 where 0 is next"));
}

TEST_P(Forgery, MoreThanASlotHolds) {
  EXPECT_THAT(failure_from(kPayload, {5, 0, 0}, 1025), HasSubstr("1025 bytes for a slot of 1024"));
}

TEST_P(Forgery, CreditForWhatWasNeverSent) {
  victim().sender(0);
  EXPECT_THAT(failure_from({MessageKind::credit, 0, 0}, {0, 0, 1}, 0),
              HasSubstr("rank 0 says that it has read what was never sent"));
}

TEST_P(Forgery, WrittenThoughNobodyMayWrite) {
  victim().receiver(0);
  EXPECT_THAT(failure_from({MessageKind::written, 1, 0}, {5, 999, 0}, 0), HasSubstr("it was not asked to write 1000 bytes"));
}

TEST_P(Forgery, SlotsToWriteToThatNobodyAskedFor) {
  EXPECT_THAT(failure_from({MessageKind::grant, 0, 0}, {0, 0, 0}, sizeof(RemoteSlots)), HasSubstr("that nobody asked for"));
}

TEST_P(Forgery, SlotsToWriteToThatAreNone) {
  victim().sender(0);
  EXPECT_THAT(failure_from({MessageKind::grant, 0, 0}, {0, 0, 0}, sizeof(RemoteSlots) - 1), HasSubstr("malformed message"));
}

TEST_P(Forgery, ForNobody) {
  forger_.link() += 1000000;
  forger_.send(kPayload, {5, 77, 0}, 10, victim());
  EXPECT_FALSE(victim().failed());
}

INSTANTIATE_TEST_SUITE_P(Provider, Forgery, testing::ValuesIn(kProviders), provider_name);

class GiveUp : public testing::TestWithParam<const char*> {};

TEST(Connect, OtherProvidersAreRefused) {
  Links mine(Network::open(on_loopback("tcp;ofi_rxm")), 0, 2, 1024);
  Links other(Network::open(on_loopback("net")), 1, 2, 1024);
  const std::array<ConnectInfo, 2> infos = {mine.info(), other.info()};
  try {
    mine.connect(infos);
    FAIL() << "not refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), XYLEM_ERROR_INVALID_ARGUMENT);
    EXPECT_THAT(error.what(), AllOf(HasSubstr("rank 0 uses the libfabric provider tcp;ofi_rxm and rank 1 uses net"),
                                    HasSubstr("XYLEM_PROVIDER")));
  }
}

// What rank 0 says of rank 1, which is its like but for what `change` does.
std::string refusal_of_a_peer(void (*change)(ConnectInfo&)) {
  Links mine(Network::open(on_loopback("tcp;ofi_rxm")), 0, 2, 1024);
  std::array<ConnectInfo, 2> infos = {mine.info(), mine.info()};
  change(infos[1]);
  try {
    mine.connect(infos);
    return "not refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), XYLEM_ERROR_INVALID_ARGUMENT);
    return error.what();
  }
}

TEST(Connect, LoopbackOfAnotherHostIsRefused) {
  EXPECT_THAT(
      refusal_of_a_peer([](ConnectInfo& peer) { ++peer.place; }),
      AllOf(HasSubstr("rank 0 and rank 1 cannot reach each other: one has an address that is valid on its own host only"),
            HasSubstr("XYLEM_NIC")));
}

TEST(Connect, TheSameAddressOnAnotherHostIsRefused) {
  EXPECT_THAT(
      refusal_of_a_peer([](ConnectInfo& peer) { ++peer.home; }),
      AllOf(HasSubstr("rank 0 and rank 1 cannot reach each other: they are on different hosts, and have the same address"),
            HasSubstr("XYLEM_NIC")));
  EXPECT_EQ(refusal_of_a_peer([](ConnectInfo&) {}), "not refused");
}

// The ranks that wait for one that gave up hear of it, whether or not there are channels between them.
TEST_P(GiveUp, PeersHearOfIt) {
  const std::shared_ptr<Network> network = Network::open(on_loopback(GetParam()));
  Pair strangers(network);
  Pair acquainted(network);
  acquainted.links[0]->receiver(1);
  acquainted.links[1]->sender(0);
  for (Pair* pair : {&strangers, &acquainted}) pair->links[0]->give_up(std::array{1}, 0);
  for (Pair* pair : {&strangers, &acquainted}) {
    while (!pair->links[1]->failed()) pair->links[1]->progress();
    EXPECT_EQ(pair->links[1]->failure(), std::string("network ") + GetParam() + ": rank 0 gave up");
    EXPECT_EQ(pair->links[1]->failed_rank(), 0);
    EXPECT_TRUE(pair->links[1]->told());
    EXPECT_TRUE(pair->links[0]->failed());
    EXPECT_FALSE(pair->links[0]->told());
    EXPECT_TRUE(pair->links[0]->idle());
  }
}

// It says who failed, which need not be who tells.
TEST_P(GiveUp, NamesTheRankThatFailed) {
  run_threads(3, [network = Network::open(on_loopback(GetParam()))](int rank, Meeting& meeting) {
    const std::unique_ptr<Links> links = connect(network, rank, meeting);
    if (rank == 0) links->give_up(std::array{1, 2}, 2);
    while (!links->failed()) links->progress();
    EXPECT_EQ(links->failed_rank(), 2);
    EXPECT_THAT(links->failure(), HasSubstr(rank == 0 ? "rank 2 gave up" : "rank 2 gave up (told by rank 0)"));
  });
}

// It reaches them though the one that gave up is gone at once, and with it the network.
TEST_P(GiveUp, LastWordsArrive) {
  run_processes(2, [&](int rank, Meeting& meeting) {
    std::unique_ptr<Links> links = connect(Network::open(on_loopback(GetParam())), rank, meeting);
    if (rank == 0) {
      links->give_up(std::array{1}, 0);
      links.reset();
    } else {
      while (!links->failed()) links->progress();
      EXPECT_EQ(links->failed_rank(), 0) << links->failure();
    }
    meeting.barrier();
  });
}

// A communicator that is freed in the middle of something says so.
TEST_P(GiveUp, AnEndInTheMiddleIsAFailure) {
  const std::shared_ptr<Network> network = Network::open(on_loopback(GetParam()));
  Pair pair(network);
  exec::Channel channel = pair.links[0]->sender(1);
  exec::Channel other = pair.links[1]->receiver(0);
  send_slot(*pair.links[0], channel, 10, 1, *pair.links[1]);
  wait(*pair.links[1], [&] { return exec::load_acquire(other.tail->position) == 1; });
  pair.links[1].reset();
  while (!pair.links[0]->failed()) pair.links[0]->progress();
  EXPECT_THAT(pair.links[0]->failure(), HasSubstr("rank 1 gave up"));
}

INSTANTIATE_TEST_SUITE_P(Provider, GiveUp, testing::ValuesIn(kProviders), provider_name);

// A sealed process leaves nothing in /dev/shm however it ends.
TEST(Seal, NothingIsLeftAfterSigkill) {
  if (FI_MAJOR(library().version()) >= 2)
    GTEST_SKIP() << "libfabric 2 needs the names of files in /dev/shm as long as they are used";
  constexpr auto kFile = [](pid_t pid) { return "/dev/shm/" + std::to_string(pid) + ":0:0"; };
  Meeting meeting(2);
  std::array<pid_t, 2> children{};
  for (int rank = 0; rank < 2; ++rank) {
    children[static_cast<std::size_t>(rank)] = fork();
    ASSERT_GE(children[static_cast<std::size_t>(rank)], 0);
    if (children[static_cast<std::size_t>(rank)] != 0) continue;
    const std::shared_ptr<Network> network = Network::open(on_loopback("shm"));
    struct stat status {};
    if (stat(kFile(getpid()).c_str(), &status) != 0) _exit(2);
    const std::unique_ptr<Links> links = connect(network, rank, meeting);
    meeting.barrier();
    network->seal();
    exec::Channel out = links->sender(1 - rank);
    exec::Channel in = links->receiver(1 - rank);
    for (std::uint32_t i = 0; i < 20; ++i) {
      send_slot(*links, out, 1000, i);
      receive_slot(*links, in, 1000, i);
    }
    finish(*links);
    meeting.barrier();
    if (testing::Test::HasFailure()) _exit(3);
    raise(SIGKILL);
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << status;
    struct stat left {};
    EXPECT_NE(stat(kFile(child).c_str(), &left), 0) << kFile(child);
  }
}

}  // namespace
}  // namespace xylem::ofi::test

// Streams of slots between ranks, as threads that share a network and as processes, over each provider.
#include <gtest/gtest.h>

#include <algorithm>

#include "ranks.hpp"

namespace xylem::ofi::test {
namespace {

constexpr std::uint32_t kSlotBytes = 64 * 1024;

// Small and large, full and empty, above and below each provider's own limits, in an order that mixes them.
constexpr std::array<std::uint32_t, 12> kSizes = {8, 0, 65536, 1, 16385, 4097, 63, 16384, 65535, 129, 30000, 64};

std::uint32_t size_at(std::uint64_t position, int from) {
  return kSizes[(position * 5 + static_cast<std::uint64_t>(from)) % kSizes.size()];
}

std::uint32_t signature_at(std::uint64_t position, int from) {
  return static_cast<std::uint32_t>(position * 8) + static_cast<std::uint32_t>(from);
}

// Every rank sends to every other and to none twice; positions go round the slots many times.
void all_to_all(const std::shared_ptr<Network>& network, int rank, Meeting& meeting, std::uint64_t slots) {
  const std::unique_ptr<Links> links = connect(network, rank, meeting, kSlotBytes);
  std::vector<std::pair<int, exec::Channel>> senders;
  std::vector<std::pair<int, exec::Channel>> receivers;
  for (int peer = 0; peer < meeting.size(); ++peer) {
    if (peer == rank) continue;
    senders.emplace_back(peer, links->sender(peer));
    receivers.emplace_back(peer, links->receiver(peer));
  }
  for (std::uint64_t position = 0; position < slots; ++position) {
    const auto bytes_from = [&](int from) { return std::min(size_at(position, from), links->slot_bytes()); };
    for (auto& [peer, channel] : senders) send_slot(*links, channel, bytes_from(rank), signature_at(position, rank));
    for (auto& [peer, channel] : receivers) receive_slot(*links, channel, bytes_from(peer), signature_at(position, peer));
  }
  finish(*links);
  EXPECT_EQ(links->failure(), "");
}

class Streams : public testing::TestWithParam<const char*> {
 protected:
  NetworkOptions options() const { return on_loopback(GetParam()); }
};

TEST_P(Streams, TwoThreads) {
  const std::shared_ptr<Network> network = Network::open(options());
  run_threads(2, [&](int rank, Meeting& meeting) { all_to_all(network, rank, meeting, 200); });
}

TEST_P(Streams, TwoProcesses) {
  run_processes(2, [&](int rank, Meeting& meeting) { all_to_all(Network::open(options()), rank, meeting, 400); });
}

TEST_P(Streams, FourProcesses) {
  run_processes(4, [&](int rank, Meeting& meeting) { all_to_all(Network::open(options()), rank, meeting, 60); });
}

// One direction only: credits have no payload to ride on.
TEST_P(Streams, OneWay) {
  constexpr std::uint64_t kCount = 3000;
  run_processes(2, [&](int rank, Meeting& meeting) {
    const std::unique_ptr<Links> links = connect(Network::open(options()), rank, meeting, kSlotBytes);
    exec::Channel channel = rank == 0 ? links->sender(1) : links->receiver(0);
    for (std::uint64_t i = 0; i < kCount; ++i) {
      const std::uint32_t bytes = i % 50 == 0 ? links->slot_bytes() : static_cast<std::uint32_t>(i % 300);
      if (rank == 0)
        send_slot(*links, channel, bytes, 1);
      else
        receive_slot(*links, channel, bytes, 1);
    }
    finish(*links);
  });
}

// The least that any rank can take counts for all.
TEST_P(Streams, SlotsOfTheSmallestSize) {
  const std::shared_ptr<Network> network = Network::open(options());
  const std::array<std::unique_ptr<Links>, 2> links = {std::make_unique<Links>(network, 0, 2, kSlotBytes),
                                                       std::make_unique<Links>(network, 1, 2, 32768)};
  exec::Channel in[2];
  const std::array<ConnectInfo, 2> infos = {links[0]->info(), links[1]->info()};
  for (const std::unique_ptr<Links>& each : links) each->connect(infos);
  for (int rank = 0; rank < 2; ++rank) in[rank] = links[static_cast<std::size_t>(rank)]->receiver(1 - rank);
  for (int from = 0; from < 2; ++from) {
    Links& sender = *links[static_cast<std::size_t>(from)];
    Links& receiver = *links[static_cast<std::size_t>(1 - from)];
    EXPECT_LE(sender.slot_bytes(), 32768U);
    exec::Channel out = sender.sender(1 - from);
    for (std::uint32_t i = 0; i < 20; ++i) {
      send_slot(sender, out, sender.slot_bytes() - i, i, receiver);
      receive_slot(receiver, in[1 - from], sender.slot_bytes() - i, i, sender);
    }
  }
}

// A rank sends as soon as it is connected, when the others may not know each other yet; they ask for channels much later.
TEST_P(Streams, EarlySenderLateReceiver) {
  run_processes(2, [&](int rank, Meeting& meeting) {
    const std::unique_ptr<Links> links = connect(Network::open(options()), rank, meeting, kSlotBytes);
    if (rank == 0) {
      exec::Channel channel = links->sender(1);
      for (std::uint32_t i = 0; i < exec::kSlots; ++i) send_slot(*links, channel, 100 + i, i);
      finish(*links);
      meeting.barrier();
    } else {
      for (int i = 0; i < 20; ++i) {
        links->progress();
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
      // Rank 0 may need us to progress before it is done.
      std::thread driver;
      std::atomic<bool> met = false;
      driver = std::thread([&] {
        meeting.barrier();
        met = true;
      });
      wait(*links, [&] { return met.load(); });
      driver.join();
      exec::Channel channel = links->receiver(0);
      for (std::uint32_t i = 0; i < exec::kSlots; ++i) receive_slot(*links, channel, 100 + i, i);
    }
  });
}

// Once large payloads are written into their slots, credits ride on the messages that say so.
TEST_P(Streams, CreditsRideOnLargePayloads) {
  const Pair pair(Network::open(options()), kSlotBytes);
  exec::Channel large = pair.links[0]->sender(1);
  exec::Channel large_in = pair.links[1]->receiver(0);
  exec::Channel small = pair.links[1]->sender(0);
  exec::Channel small_in = pair.links[0]->receiver(1);
  for (std::uint32_t i = 0; i < 50; ++i) {
    send_slot(*pair.links[1], small, 8, i, *pair.links[0]);
    receive_slot(*pair.links[0], small_in, 8, i, *pair.links[1]);
    send_slot(*pair.links[0], large, pair.links[0]->slot_bytes(), i, *pair.links[1]);
    receive_slot(*pair.links[1], large_in, pair.links[0]->slot_bytes(), i, *pair.links[0]);
  }
}

// The positions on the wire have 16 bits. One thread drives both ends, so that it takes no turns of the scheduler, and
// over the fastest provider: the numbers are the same for all.
TEST(Stream, PositionsWrapAround) {
  constexpr std::uint32_t kRounds = 17000;
  const Pair pair(Network::open(on_loopback("shm")), 64);
  exec::Channel out = pair.links[0]->sender(1);
  exec::Channel in = pair.links[1]->receiver(0);
  for (std::uint32_t round = 0; round < kRounds; ++round) {
    for (std::uint32_t i = 0; i < exec::kSlots; ++i) send_slot(*pair.links[0], out, 8, round, *pair.links[1]);
    for (std::uint32_t i = 0; i < exec::kSlots; ++i) receive_slot(*pair.links[1], in, 8, round, *pair.links[0]);
  }
  EXPECT_EQ(in.position, 68000U);
}

INSTANTIATE_TEST_SUITE_P(Provider, Streams, testing::ValuesIn(kProviders), provider_name);

}  // namespace
}  // namespace xylem::ofi::test

// What travels: how many messages, of what kind, with how many bytes. Counted by the strict libfabric, which CTest puts in
// front.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include "counts.h"
#include "ranks.hpp"

namespace xylem::ofi::test {
namespace {

constexpr std::uint32_t kSlotBytes = 64 * 1024;

strict_fabric_counts_t counts() {
  // What the network has opened already.
  void* const library = dlopen("libfabric.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (library == nullptr) throw std::runtime_error("no libfabric is loaded");
  void* const symbol = dlsym(library, "strict_fabric_counts");
  if (symbol == nullptr) throw std::runtime_error("this is not the strict libfabric: LD_LIBRARY_PATH must name its folder");
  return *reinterpret_cast<const strict_fabric_counts_t* (*)()>(symbol)();
}

// What has been counted since it was made.
class Counter {
 public:
  strict_fabric_counts_t now() const {
    strict_fabric_counts_t all = counts();
    for (std::uint64_t strict_fabric_counts_t::*each :
         {&strict_fabric_counts_t::sends, &strict_fabric_counts_t::injects, &strict_fabric_counts_t::writes,
          &strict_fabric_counts_t::bytes_sent, &strict_fabric_counts_t::bytes_written, &strict_fabric_counts_t::registrations,
          &strict_fabric_counts_t::connected})
      all.*each -= before_.*each;
    return all;
  }

 private:
  strict_fabric_counts_t before_ = counts();
};

class Traffic : public testing::TestWithParam<const char*> {
 protected:
  std::shared_ptr<Network> network_ = Network::open(on_loopback(GetParam()));
};

// Data, flag, signature and credit are one message, which needs no registered memory where the provider can inject it.
TEST_P(Traffic, ASmallHopIsOneMessage) {
  constexpr std::uint32_t kRounds = 100;
  const Pair pair(network_, kSlotBytes);
  Links& left = *pair.links[0];
  Links& right = *pair.links[1];
  exec::Channel there = left.sender(1), there_in = right.receiver(0);
  exec::Channel back = right.sender(0), back_in = left.receiver(1);
  const Counter counter;
  for (std::uint32_t round = 0; round < kRounds; ++round) {
    send_slot(left, there, 8, round, right);
    receive_slot(right, there_in, 8, round, left);
    send_slot(right, back, 64, round, left);
    receive_slot(left, back_in, 64, round, right);
  }
  const strict_fabric_counts_t seen = counter.now();
  // See inject_room() in ofi/endpoint.cpp.
  const bool can_inject = std::string(GetParam()) != "udp;ofi_rxd";
  EXPECT_EQ(seen.injects, can_inject ? 2 * kRounds : 0);
  EXPECT_EQ(seen.sends, can_inject ? 0 : 2 * kRounds);
  EXPECT_EQ(seen.bytes_sent, kRounds * (8U + 64U));
  EXPECT_EQ(seen.writes, 0U);
  EXPECT_EQ(seen.registrations, 0U);
}

// Above what may be injected: one message still.
TEST_P(Traffic, AMediumHopIsOneMessage) {
  const Pair pair(network_, kSlotBytes);
  exec::Channel out = pair.links[0]->sender(1), in = pair.links[1]->receiver(0);
  const Counter counter;
  for (std::uint32_t i = 0; i < exec::kSlots; ++i) send_slot(*pair.links[0], out, 16384 - i, i, *pair.links[1]);
  for (std::uint32_t i = 0; i < exec::kSlots; ++i) receive_slot(*pair.links[1], in, 16384 - i, i, *pair.links[0]);
  EXPECT_EQ(counter.now().sends, exec::kSlots);
  EXPECT_EQ(counter.now().writes, 0U);
}

// The first large payloads are sent, until the receiver has said where its slots are; all others are written into them, each
// byte once. Sizes are odd on purpose.
TEST_P(Traffic, LargePayloadsAreWrittenIntoTheirSlots) {
  constexpr std::uint32_t kCount = 200;
  const Pair pair(network_, kSlotBytes);
  exec::Channel out = pair.links[0]->sender(1), in = pair.links[1]->receiver(0);
  const Counter counter;
  std::uint64_t payload = 0;
  for (std::uint32_t i = 0; i < kCount; ++i) {
    const std::uint32_t bytes = kSlotBytes - 3 * i;
    payload += bytes;
    send_slot(*pair.links[0], out, bytes, i, *pair.links[1]);
    receive_slot(*pair.links[1], in, bytes, i, *pair.links[0]);
  }
  const strict_fabric_counts_t seen = counter.now();
  EXPECT_GE(seen.writes, kCount - exec::kSlots);
  EXPECT_LE(seen.bytes_sent, exec::kSlots * kSlotBytes + 1000);
  EXPECT_GE(seen.bytes_sent + seen.bytes_written, payload);
  EXPECT_LE(seen.bytes_sent + seen.bytes_written, payload + 1000);
  // Each write is followed by one message, and every second slot by a credit, at most every one.
  EXPECT_LE(seen.sends + seen.injects, 2 * kCount + 8);
  // One for the slots, once.
  EXPECT_EQ(seen.registrations, 1U);
}

// Ranks that have nothing to say to each other stay strangers.
TEST_P(Traffic, ConnectionsAreMadeAtFirstUse) {
  constexpr int kRanks = 8;
  // Each rank a process, so that each counts for itself. A ring: one peer to send to, one to receive from.
  network_.reset();
  run_processes(kRanks, [&](int rank, Meeting& meeting) {
    const std::shared_ptr<Network> network = Network::open(on_loopback(GetParam()));
    const Counter counter;
    const std::unique_ptr<Links> links = connect(network, rank, meeting);
    const std::uint64_t strangers = counter.now().connected;
    exec::Channel out = links->sender((rank + 1) % kRanks);
    exec::Channel in = links->receiver((rank + kRanks - 1) % kRanks);
    for (std::uint32_t i = 0; i < 20; ++i) {
      send_slot(*links, out, 100, i);
      receive_slot(*links, in, 100, i);
    }
    finish(*links);
    // Memory of other processes is mapped at once: see Network::seal().
    EXPECT_EQ(strangers, std::string(GetParam()) == "shm" ? kRanks : 0);
    EXPECT_EQ(counter.now().connected, std::string(GetParam()) == "shm" ? kRanks : 2);
    meeting.barrier();
  });
}

INSTANTIATE_TEST_SUITE_P(Provider, Traffic, testing::ValuesIn(kProviders), provider_name);

}  // namespace
}  // namespace xylem::ofi::test

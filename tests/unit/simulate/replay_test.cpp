// Small cases whose times are worked out by hand.
#include "simulate/replay.hpp"

#include <gtest/gtest.h>

namespace xylem::simulate {
namespace {

// Whole seconds, so that sums are exact.
coll::Workload links(std::uint32_t hosts, std::uint32_t per_host, std::uint32_t rails = 1) {
  coll::Workload work;
  work.ranks = hosts * per_host;
  work.hosts = hosts;
  work.ranks_per_host = per_host;
  work.board = {.latency = 5, .per_byte = 3};
  work.channel = {.latency = 10, .per_byte = 2, .overhead = 0};
  work.network = {.latency = 100, .per_byte = 4, .overhead = 0};
  work.rails = rails;
  work.copy_per_byte = 1;
  work.reduce_per_byte = 1;
  return work;
}

Script send(std::uint32_t to, double bytes) { return {{Act::begin_send, to, bytes}, {Act::end_send, to, 0}}; }
Script receive(std::uint32_t from) { return {{Act::begin_recv, from, 0}, {Act::end_recv, from, 0}}; }
Script work(double seconds) { return {{Act::work, 0, seconds}}; }

Script row(std::initializer_list<Script> parts) {
  Script all;
  for (const Script& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

double time_of(const coll::Workload& work, std::initializer_list<Script> scripts, Depths depths = {4, 4}) {
  Replay replay(work, depths);
  for (const Script& script : scripts) replay.add(script);
  return replay.run();
}

TEST(Replay, AMessageTakesTheLatencyOfItsLink) {
  EXPECT_EQ(time_of(links(1, 2), {row({work(7), send(1, 50)}), row({receive(0), work(3)})}), 7 + 10 + 3);
  EXPECT_EQ(time_of(links(2, 1), {row({work(7), send(1, 50)}), row({receive(0), work(3)})}), 7 + 100 + 50 * 4 + 3);
}

TEST(Replay, ALoanIsSettledWhenItsOwnerHearsThatItIsRead) {
  const Script lend = row({send(1, 16), {{Act::settle, 1, 0}}, work(3)});
  EXPECT_EQ(time_of(links(1, 2), {lend, row({{{Act::begin_recv, 0, 0}}, work(50), {{Act::end_recv, 0, 0}}})}),
            10 + 50 + 10 + 3);
  EXPECT_THROW(time_of(links(1, 2), {lend, work(1)}), std::logic_error);
}

TEST(Replay, MessagesQueueForTheInterfaceOfTheirSender) {
  // The second leaves when the first has left, and comes right after it.
  EXPECT_EQ(time_of(links(2, 1), {row({send(1, 50), send(1, 10)}), row({receive(0), receive(0)})}), 100 + 60 * 4);
  // Ranks of a host share its interface.
  const auto two_senders = {send(2, 50), send(3, 10), receive(0), receive(1)};
  EXPECT_EQ(time_of(links(2, 2), two_senders), 100 + 60 * 4);
  // Or have one each.
  EXPECT_EQ(time_of(links(2, 2, 2), two_senders), 100 + 50 * 4);
}

TEST(Replay, MessagesQueueForTheInterfaceOfTheirReceiver) {
  EXPECT_EQ(time_of(links(3, 1), {send(2, 50), send(2, 10), row({receive(1), receive(0)})}), 100 + 60 * 4);
  // In the order in which they come, not in that of the ranks.
  EXPECT_EQ(time_of(links(3, 1), {row({work(20), send(2, 50)}), send(2, 10), row({receive(1), work(1000)})}),
            100 + 40 + 1000);
}

TEST(Replay, AFullChannelWaitsForNewsOfItsReceiver) {
  // Two places. The third message waits until the receiver, which begins at 30, has given back the first one.
  const Script sender = row({send(1, 1), send(1, 1), send(1, 1)});
  const Script receiver = row({work(30), receive(0), receive(0), receive(0)});
  EXPECT_EQ(time_of(links(1, 2), {sender, receiver}, {2, 4}), 30 + 10 + 10);
  EXPECT_EQ(time_of(links(1, 2), {sender, receiver}, {3, 4}), 30);
}

TEST(Replay, WhoWaitsForEverIsNamed) { EXPECT_THROW(time_of(links(1, 2), {receive(1), receive(0)}), std::logic_error); }

TEST(Replay, ABoardIsSeenAfterItsLatency) {
  const Script show = row({work(8), {{Act::begin_publish, 0, 0}, {Act::end_publish, 0, 0}, {Act::finish, 0, 0}}});
  const Script look = row({{{Act::fetch, 0, 0}}, work(2), {{Act::finish, 0, 0}}});
  EXPECT_EQ(time_of(links(1, 2), {show, look}), 8 + 5 + 2);
  // A board of one buffer is written again when all have finished with it.
  EXPECT_EQ(time_of(links(1, 2), {row({show, show}), row({look, look})}, {4, 1}), 8 + 5 + 2 + 5 + 5 + 2);
}

TEST(Replay, HalvesOfASplitShareACore) {
  const Script split = {{Act::work, 0, 1},  {Act::fork, 0, 0}, {Act::work, 0, 20}, {Act::next, 0, 0},
                        {Act::work, 0, 30}, {Act::join, 0, 0}, {Act::work, 0, 4}};
  EXPECT_EQ(time_of(links(1, 1), {split}), 1 + 50 + 4);
  // While one half waits for a message, the other works.
  const Script waits = row({{{Act::fork, 0, 0}}, receive(1), work(5), {{Act::next, 0, 0}}, work(30), {{Act::join, 0, 0}}});
  EXPECT_EQ(time_of(links(1, 2), {waits, send(0, 1)}), 35);
}

}  // namespace
}  // namespace xylem::simulate

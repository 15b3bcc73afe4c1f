// A discrete-event simulation of one call: the scripts of all ranks run against channels and boards of given depths, and
// network interfaces that messages queue for.
//
// Every rank has a core of its own; the two halves of a split share it. A channel holds `slots` messages; a place is free
// again when the sender has heard that its message was read, one latency after. Between hosts a message waits for the
// interface of its sender, leaves it at the speed of the link, and waits for that of its receiver; rank r of a host uses
// interface r % rails. What is between the interfaces is never short of bandwidth. Messages queue in the order of time.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <queue>
#include <unordered_map>
#include <vector>

#include "coll/traits.hpp"
#include "exec/board.hpp"
#include "exec/channel.hpp"
#include "simulate/script.hpp"

namespace xylem::simulate {

struct Depths {
  std::uint32_t slots = exec::kSlots;       // of a channel
  std::uint32_t board = exec::kBoardDepth;  // buffers of a rank
};

class Replay {
 public:
  // Of `work`: ranks, hosts, ranks_per_host, and what links cost.
  Replay(const coll::Workload& work, const Depths& depths);

  // What the next rank does: 0, 1, ... One script for each rank.
  void add(Script script);

  // From the moment at which all ranks begin to the one at which the last has ended, in seconds. Throws std::logic_error
  // where ranks wait for each other for ever. Once.
  double run();

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  static constexpr double kNever = std::numeric_limits<double>::infinity();

  // What runs on a core: a rank's main thread, or a half of a split.
  struct Thread {
    std::uint32_t rank;
    std::size_t step = 0, end = 0;
    double now = 0;
  };
  struct Event {
    double time;
    std::uint64_t order;  // of equal times the first made
    std::uint32_t thread;
    std::uint32_t channel;  // a message reaches the receiver's interface; kNone: `thread` goes on
    bool operator>(const Event& other) const { return time != other.time ? time > other.time : order > other.order; }
  };
  // Counts of messages: sent by the sender, there for the receiver, given back by it. At most `slots` lie between
  // sent and given back, so what is known of message m lies at m % slots.
  struct Channel {
    std::uint32_t sender, receiver;
    bool network;
    std::uint64_t sent = 0, there = 0, returned = 0;
    struct Place {
      double bytes, arrival, free;  // `free`: when the sender knows that it may be used again
    };
    std::vector<Place> places{};
    std::uint32_t waiting_sender = kNone, waiting_receiver = kNone;  // threads
  };
  struct Rank {
    Script script;                        // its sends and receives name channels
    double core_free = 0;                 // while halves share it
    std::uint32_t halves = 0;             // that run
    std::vector<double> shown, finished;  // by epoch: when others see it; `shown` is kNever where nothing is
    std::vector<std::uint32_t> readers;   // threads that wait for it to show something
    std::uint32_t publisher = kNone;      // its thread that waits for others to finish
  };

  // Each step: false where the thread has to wait, or to let others go first; then it comes again.
  bool execute(std::uint32_t thread);
  bool work(std::uint32_t thread, double seconds);
  bool begin_send(std::uint32_t thread, Channel& channel, double bytes);
  bool end_send(std::uint32_t thread, std::uint32_t number);
  bool begin_recv(std::uint32_t thread, Channel& channel);
  void end_recv(const Thread& self, Channel& channel);
  bool settle(std::uint32_t thread, Channel& channel);
  bool begin_publish(std::uint32_t thread);
  void end_publish(const Thread& self);
  bool fetch(std::uint32_t thread, std::uint32_t member);
  void finish(const Thread& self);
  void fork(std::uint32_t thread);

  void run_thread(std::uint32_t thread);
  void end_thread(std::uint32_t thread);
  void arrive(Channel& channel, double time);
  bool in_turn(const Thread& self) const { return events_.empty() || self.now <= events_.top().time; }
  void wake(std::uint32_t& thread);
  void schedule(std::uint32_t thread) { events_.push({threads_[thread].now, order_++, thread, kNone}); }
  std::uint32_t channel_number(std::uint32_t from, std::uint32_t to);
  const coll::Link& link(const Channel& of) const { return of.network ? work_.network : work_.channel; }
  std::size_t rail(std::uint32_t rank) const;
  std::uint32_t first_of_host(std::uint32_t rank) const { return rank / work_.ranks_per_host * work_.ranks_per_host; }
  std::uint32_t end_of_host(std::uint32_t rank) const;

  coll::Workload work_;
  Depths depths_;
  std::vector<Rank> ranks_;
  std::vector<Thread> threads_;  // three of each rank: main, and the halves
  std::vector<Channel> channels_;
  std::unordered_map<std::uint64_t, std::uint32_t> channel_numbers_;  // by sender and receiver
  std::vector<double> out_free_, in_free_;                            // by interface
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::uint64_t order_ = 0;
};

}  // namespace xylem::simulate

#include "simulate/replay.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

namespace xylem::simulate {

namespace {

constexpr std::uint32_t kThreads = 3;  // of a rank

constexpr std::uint32_t main_of(std::uint32_t rank) { return rank * kThreads; }

}  // namespace

Replay::Replay(const coll::Workload& work, const Depths& depths)
    : work_(work),
      depths_(depths),
      out_free_(std::size_t{work.hosts} * work.rails),
      in_free_(std::size_t{work.hosts} * work.rails) {}

void Replay::add(Script script) {
  const auto rank = static_cast<std::uint32_t>(ranks_.size());
  for (TimedStep& step : script) {
    const bool sends = step.act == Act::begin_send || step.act == Act::end_send || step.act == Act::settle;
    if (sends) step.peer = channel_number(rank, step.peer);
    if (step.act == Act::begin_recv || step.act == Act::end_recv) step.peer = channel_number(step.peer, rank);
  }
  threads_.insert(threads_.end(), kThreads, {rank, 0, 0, 0});
  threads_[main_of(rank)].end = script.size();
  ranks_.push_back({});
  ranks_.back().script = std::move(script);
}

double Replay::run() {
  for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) schedule(main_of(rank));
  while (!events_.empty()) {
    const Event event = events_.top();
    events_.pop();
    if (event.channel == kNone) {
      run_thread(event.thread);
    } else {
      Channel& channel = channels_[event.channel];
      double& free = in_free_[rail(channel.receiver)];
      free = std::max(event.time, free) + channel.places[channel.there % depths_.slots].bytes * work_.network.per_byte;
      arrive(channel, free);
    }
  }
  double last = 0;
  for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
    const Thread& main = threads_[main_of(rank)];
    if (main.step != main.end || ranks_[rank].halves != 0) {
      throw std::logic_error("rank " + std::to_string(rank) + " waits for ever: the channels are too short");
    }
    last = std::max(last, main.now);
  }
  return last;
}

void Replay::run_thread(std::uint32_t thread) {
  Thread& self = threads_[thread];
  while (self.step != self.end) {
    const std::size_t before = self.step;
    if (!execute(thread)) return;
    if (self.step != before) return;  // a fork: the halves go on
    ++self.step;
  }
  end_thread(thread);
}

void Replay::end_thread(std::uint32_t thread) {
  const Thread& ended = threads_[thread];
  if (thread % kThreads == 0) return;
  Rank& rank = ranks_[ended.rank];
  Thread& main = threads_[main_of(ended.rank)];
  main.now = std::max(main.now, ended.now);
  if (--rank.halves == 0) schedule(main_of(ended.rank));
}

bool Replay::execute(std::uint32_t thread) {
  const Thread& self = threads_[thread];
  const TimedStep& step = ranks_[self.rank].script[self.step];
  switch (step.act) {
    case Act::work:
      return work(thread, step.amount);
    case Act::begin_send:
      return begin_send(thread, channels_[step.peer], step.amount);
    case Act::end_send:
      return end_send(thread, step.peer);
    case Act::begin_recv:
      return begin_recv(thread, channels_[step.peer]);
    case Act::end_recv:
      end_recv(self, channels_[step.peer]);
      return true;
    case Act::settle:
      return settle(thread, channels_[step.peer]);
    case Act::begin_publish:
      return begin_publish(thread);
    case Act::end_publish:
      end_publish(self);
      return true;
    case Act::fetch:
      return fetch(thread, step.peer);
    case Act::finish:
      finish(self);
      return true;
    case Act::fork:
      fork(thread);
      return true;
    case Act::next:
    case Act::join:
      break;
  }
  throw std::logic_error("a split inside a split");
}

bool Replay::work(std::uint32_t thread, double seconds) {
  Thread& self = threads_[thread];
  if (thread % kThreads == 0) {
    self.now += seconds;
    return true;
  }
  if (!in_turn(self)) {
    schedule(thread);
    return false;
  }
  double& free = ranks_[self.rank].core_free;
  self.now = free = std::max(self.now, free) + seconds;
  return true;
}

bool Replay::begin_send(std::uint32_t thread, Channel& channel, double bytes) {
  Thread& self = threads_[thread];
  if (channel.sent - channel.returned >= depths_.slots) {
    channel.waiting_sender = thread;
    return false;
  }
  Channel::Place& place = channel.places[channel.sent % depths_.slots];
  self.now = std::max(self.now, place.free);
  place.bytes = bytes;
  return true;
}

bool Replay::end_send(std::uint32_t thread, std::uint32_t number) {
  const Thread& self = threads_[thread];
  Channel& channel = channels_[number];
  // Both ends are busy for a part of the latency: at this one that is over, at the other it is to come.
  const coll::Link& over = link(channel);
  const double flight = std::max(0.0, over.latency - 2 * over.overhead);
  if (!channel.network) {
    ++channel.sent;
    arrive(channel, self.now + flight);
    return true;
  }
  if (!in_turn(self)) {
    schedule(thread);
    return false;
  }
  double& free = out_free_[rail(self.rank)];
  const double start = std::max(self.now, free);
  free = start + channel.places[channel.sent % depths_.slots].bytes * over.per_byte;
  ++channel.sent;
  events_.push({start + flight, order_++, kNone, number});
  return true;
}

void Replay::arrive(Channel& channel, double time) {
  channel.places[channel.there++ % depths_.slots].arrival = time;
  wake(channel.waiting_receiver);
}

bool Replay::begin_recv(std::uint32_t thread, Channel& channel) {
  if (channel.returned == channel.there) {
    channel.waiting_receiver = thread;
    return false;
  }
  Thread& self = threads_[thread];
  self.now = std::max(self.now, channel.places[channel.returned % depths_.slots].arrival);
  return true;
}

void Replay::end_recv(const Thread& self, Channel& channel) {
  channel.places[channel.returned++ % depths_.slots].free = self.now + link(channel).latency;
  wake(channel.waiting_sender);
}

bool Replay::settle(std::uint32_t thread, Channel& channel) {
  if (channel.returned != channel.sent) {
    channel.waiting_sender = thread;
    return false;
  }
  Thread& self = threads_[thread];
  if (channel.sent != 0) self.now = std::max(self.now, channel.places[(channel.sent - 1) % depths_.slots].free);
  return true;
}

bool Replay::begin_publish(std::uint32_t thread) {
  Thread& self = threads_[thread];
  const std::size_t epoch = ranks_[self.rank].finished.size();
  if (epoch < depths_.board) return true;
  for (std::uint32_t reader = first_of_host(self.rank); reader < end_of_host(self.rank); ++reader) {
    if (reader == self.rank) continue;
    const std::vector<double>& finished = ranks_[reader].finished;
    if (finished.size() + depths_.board <= epoch) {
      ranks_[self.rank].publisher = thread;
      return false;
    }
    self.now = std::max(self.now, finished[epoch - depths_.board]);
  }
  return true;
}

void Replay::end_publish(const Thread& self) {
  Rank& rank = ranks_[self.rank];
  rank.shown.resize(rank.finished.size(), kNever);
  rank.shown.push_back(self.now + work_.board.latency);
  for (std::uint32_t reader : std::exchange(rank.readers, {})) schedule(reader);
}

bool Replay::fetch(std::uint32_t thread, std::uint32_t member) {
  Thread& self = threads_[thread];
  const std::uint32_t shower = first_of_host(self.rank) + member;
  if (shower == self.rank) return true;
  Rank& there = ranks_[shower];
  const std::size_t epoch = ranks_[self.rank].finished.size();
  if (there.shown.size() <= epoch) {
    there.readers.push_back(thread);
    return false;
  }
  self.now = std::max(self.now, there.shown[epoch]);
  return true;
}

void Replay::finish(const Thread& self) {
  ranks_[self.rank].finished.push_back(self.now + work_.board.latency);
  for (std::uint32_t other = first_of_host(self.rank); other < end_of_host(self.rank); ++other) wake(ranks_[other].publisher);
}

void Replay::fork(std::uint32_t thread) {
  Thread& main = threads_[thread];
  Rank& rank = ranks_[main.rank];
  const auto find = [&](std::size_t from, Act act) {
    while (rank.script[from].act != act) ++from;
    return from;
  };
  const std::size_t next = find(main.step, Act::next), join = find(next, Act::join);
  threads_[thread + 1] = {main.rank, main.step + 1, next, main.now};
  threads_[thread + 2] = {main.rank, next + 1, join, main.now};
  main.step = join + 1;
  rank.halves = 2;
  rank.core_free = main.now;
  schedule(thread + 1);
  schedule(thread + 2);
}

void Replay::wake(std::uint32_t& thread) {
  if (thread != kNone) schedule(std::exchange(thread, kNone));
}

std::uint32_t Replay::channel_number(std::uint32_t from, std::uint32_t to) {
  const auto number = static_cast<std::uint32_t>(channels_.size());
  const auto [entry, is_new] = channel_numbers_.try_emplace(std::uint64_t{from} << 32U | to, number);
  if (!is_new) return entry->second;
  channels_.push_back({from, to, host_of(work_, from) != host_of(work_, to)});
  channels_.back().places.resize(depths_.slots);
  return number;
}

std::size_t Replay::rail(std::uint32_t rank) const {
  return std::size_t{host_of(work_, rank)} * work_.rails + rank % work_.ranks_per_host % work_.rails;
}

std::uint32_t Replay::end_of_host(std::uint32_t rank) const {
  return std::min(first_of_host(rank) + work_.ranks_per_host, static_cast<std::uint32_t>(ranks_.size()));
}

}  // namespace xylem::simulate

#include "simulate/script.hpp"

#include <algorithm>
#include <unordered_set>

#include "exec/channel.hpp"
#include "verify/recorder.hpp"

namespace xylem::simulate {

namespace {

using verify::Action;
using verify::Region;
using verify::Space;
using verify::Step;

class Builder {
 public:
  Builder(std::uint32_t rank, const coll::Workload& work) : rank_(rank), work_(work) {}

  void add(const Step& step) {
    switch (step.action) {
      case Action::begin_send:
        return put(Act::begin_send, step.peer, static_cast<double>(step.bytes));
      case Action::end_send:
        take(link(step.peer).overhead);
        return put(Act::end_send, step.peer);
      case Action::begin_recv:
        put(Act::begin_recv, step.peer);
        take(link(step.peer).overhead);
        if (here(step.peer)) unread_.insert(step.peer);
        return;
      case Action::end_recv:
        return put(Act::end_recv, step.peer);
      case Action::lend:
        put(Act::begin_send, step.peer, sizeof(exec::Loan));
        take(link(step.peer).overhead);
        return put(Act::end_send, step.peer);
      case Action::settle:
        return put(Act::settle, step.peer);
      case Action::borrow:
        put(Act::begin_recv, step.peer);
        take(link(step.peer).overhead + work_.lending.latency + static_cast<double>(step.bytes) * work_.lending.per_byte);
        return put(Act::end_recv, step.peer);
      case Action::refuse:
        put(Act::begin_recv, step.peer);
        return put(Act::end_recv, step.peer);
      case Action::begin_publish:
        return put(Act::begin_publish);
      case Action::end_publish:
        return put(Act::end_publish);
      case Action::fetch:
        return put(Act::fetch, step.peer);
      case Action::finish:
        return put(Act::finish);
      case Action::copy:
        return take(static_cast<double>(step.bytes) * (work_.copy_per_byte + distance(step.left) + taken_back(step.out)));
      case Action::reduce:
        return take(static_cast<double>(step.bytes) *
                    (work_.reduce_per_byte + distance(step.left) + distance(step.right) + taken_back(step.out)));
      case Action::fork:
        return put(Act::fork);
      case Action::next:
        return put(Act::next);
      case Action::join:
        return put(Act::join);
    }
  }
  Script finish() { return std::move(script_); }

 private:
  bool here(std::uint32_t peer) const { return host_of(work_, peer) == host_of(work_, rank_); }
  const coll::Link& link(std::uint32_t peer) const { return here(peer) ? work_.channel : work_.network; }

  void put(Act act, std::uint32_t peer = 0, double amount = 0) { script_.push_back({act, peer, amount}); }
  void take(double seconds) {
    if (!script_.empty() && script_.back().act == Act::work) {
      script_.back().amount += seconds;
    } else if (seconds > 0) {
      put(Act::work, 0, seconds);
    }
  }

  // What a byte of an operand takes beyond one of this core's own. What came over the network lies in this host's memory.
  double distance(const Region& operand) {
    if (operand.space == Space::board && operand.peer != rank_ % work_.ranks_per_host) return work_.beyond(work_.board);
    if (operand.space == Space::slot_in && unread_.erase(operand.peer) != 0) return work_.beyond(work_.channel);
    return 0;
  }

  // Another core of the host has read what was there before, so the line has to come back before it can be written.
  double taken_back(const Region& out) const {
    const bool shared = out.space == Space::board || (out.space == Space::slot_out && here(out.peer));
    return shared && work_.ranks_per_host > 1 ? work_.beyond(work_.board) : 0;
  }

  std::uint32_t rank_;
  const coll::Workload& work_;
  std::unordered_set<std::uint32_t> unread_;  // whose open message has not been looked at
  Script script_;
};

}  // namespace

Script time_steps(const verify::Program& program, std::uint32_t rank, const coll::Workload& work) {
  Builder builder(rank, work);
  for (const Step& step : program) builder.add(step);
  return builder.finish();
}

}  // namespace xylem::simulate

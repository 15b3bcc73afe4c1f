// The real Port with a real Team that waits in the explorer, and wrong users of it.
#pragma once

#include <utility>

#include "exec/cpu_team.hpp"
#include "exec/lane.hpp"
#include "exec/port.hpp"
#include "scenarios.hpp"

namespace xylem::explorer {

// What ranks send and show: two numbers.
struct Payload {
  std::uint32_t sender = 0, number = 0;
  bool operator==(const Payload&) const = default;
};
inline constexpr std::size_t kPayloadBytes = sizeof(Payload);

// A rank's one thread. It waits as every CPU thread does: exec/waiter.cpp looks at the abort word, yields and naps.
class Team : public exec::CpuTeam {
 public:
  Team(const std::uint32_t& abort_word, Misuse misuse)
      : CpuTeam(waiter_, half_, background_),
        waiter_(misuse == Misuse::deaf_to_abort ? &never_raised_ : &abort_word, true, 0, {[](void*) {}}, {}, {}),
        naps_(misuse == Misuse::sleeps_until_woken ? Naps::until_woken : Naps::timed) {}

  template <class Ready>
  exec::Fault wait(Ready ready, std::uint32_t who, bool on_board) {
    Explorer::begin_wait(naps_);
    const auto look = [&] {
      Explorer::begin_look();
      return ready();
    };
    return CpuTeam::wait(look, who, on_board);
  }

 private:
  std::uint32_t never_raised_ = 0;
  exec::Waiter waiter_;
  exec::Fiber half_, background_;  // never run
  Naps naps_;
};

// A channel from which nothing can be borrowed names this process.
inline constexpr std::int32_t kUnreadable = -1;

struct Arithmetic {
  static bool borrow(std::int32_t process, exec::Slice out, const std::byte* address) {
    if (process == kUnreadable) return false;
    for (std::size_t at = 0; at < out.bytes; at += sizeof(std::uint32_t)) {
      *reinterpret_cast<std::uint32_t*>(out.data + at) = *reinterpret_cast<const std::uint32_t*>(address + at);
    }
    return true;
  }
  static void copy(Team&, exec::Slice out, exec::View in) {
    for (std::size_t at = 0; at < out.bytes; at += sizeof(std::uint32_t)) {
      *reinterpret_cast<std::uint32_t*>(out.data + at) = *reinterpret_cast<const std::uint32_t*>(in.data + at);
    }
  }
};

using RightPort = exec::MemoryPort<Team, Arithmetic>;
inline constexpr std::uint32_t kSignature = 0x5eed;

// A port whose verbs are in the wrong order.
template <Misuse misuse>
class WrongPort : public RightPort {
 public:
  using RightPort::RightPort;

  exec::Slice begin_send(std::uint32_t peer, std::size_t bytes) {
    const exec::Slice slot = RightPort::begin_send(peer, bytes);
    if (misuse == Misuse::publish_before_write) RightPort::end_send(peer, bytes);
    return slot;
  }
  void end_send(std::uint32_t peer, std::size_t bytes) {
    if (misuse != Misuse::publish_before_write) RightPort::end_send(peer, bytes);
  }
  exec::View begin_recv(std::uint32_t peer, std::size_t bytes) {
    const exec::View slot = RightPort::begin_recv(peer, bytes);
    if (misuse == Misuse::release_before_read) RightPort::end_recv(peer);
    return slot;
  }
  void end_recv(std::uint32_t peer) {
    if (misuse != Misuse::release_before_read) RightPort::end_recv(peer);
  }
  exec::Slice begin_publish(std::size_t bytes) {
    const exec::Slice buffer = RightPort::begin_publish(bytes);
    if (misuse == Misuse::publish_before_write) RightPort::end_publish();
    return buffer;
  }
  void end_publish() {
    if (misuse != Misuse::publish_before_write) RightPort::end_publish();
  }
  exec::View fetch(std::uint32_t member, std::size_t bytes) {
    const exec::View buffer = RightPort::fetch(member, bytes);
    if (misuse == Misuse::release_before_read) {
      RightPort::finish(false);
      finished_ = true;
    }
    return buffer;
  }
  void finish(bool all_fetched) {
    if (!std::exchange(finished_, false)) RightPort::finish(all_fetched || misuse == Misuse::claims_to_have_fetched);
  }

 private:
  bool finished_ = false;
};

// body(port), with the port that a misuse asks for.
template <class Body>
void with_port(Misuse misuse, Team& team, exec::Endpoints& endpoints, Body body) {
  const auto run = [&]<class Port>(Port port) { body(port); };
  switch (misuse) {
    case Misuse::publish_before_write:
      return run(WrongPort<Misuse::publish_before_write>(team, endpoints, {}, kSignature));
    case Misuse::release_before_read:
      return run(WrongPort<Misuse::release_before_read>(team, endpoints, {}, kSignature));
    case Misuse::claims_to_have_fetched:
      return run(WrongPort<Misuse::claims_to_have_fetched>(team, endpoints, {}, kSignature));
    default:
      return run(RightPort(team, endpoints, {}, kSignature));
  }
}

inline exec::View view(const Payload& payload) { return {reinterpret_cast<const std::byte*>(&payload), kPayloadBytes}; }
inline exec::Slice slice(Payload& payload) { return {reinterpret_cast<std::byte*>(&payload), kPayloadBytes}; }

inline void expect_payload(const Payload& got, const Payload& wanted) {
  if (!(got == wanted)) {
    Explorer::fail("wrong payload: message " + std::to_string(got.number) + " of rank " + std::to_string(got.sender) +
                   " in place of " + std::to_string(wanted.number) + " of rank " + std::to_string(wanted.sender));
  }
}
inline void expect_fault(exec::Fault got, exec::Fault wanted) {
  if (got != wanted) {
    Explorer::fail("fault " + std::to_string(static_cast<unsigned>(got)) + " in place of " +
                   std::to_string(static_cast<unsigned>(wanted)));
  }
}

}  // namespace xylem::explorer

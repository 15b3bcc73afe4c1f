// This rank's line to another one: a TCP connection to its process that asks for its door (watch/door.hpp). Only what this
// rank writes goes over it; what the other answers comes by a line of the other's.
#pragma once

#include <poll.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include "survive/letter.hpp"
#include "watch/connection.hpp"
#include "watch/identity.hpp"

namespace xylem::survive {

// Where to find a rank.
struct Contact {
  enum class State { unknown, known, gone };  // unknown: not yet, ask again

  State state;
  watch::Identity process{};
  std::uint64_t key = 0;  // of its door
};

// Never waits.
class OutLine {
 public:
  void send(const Bytes& letter) { unsent_.insert(unsent_.end(), letter.begin(), letter.end()); }

  // Goes on with connecting, writing and looking for the other's end. `contact`: what is known now.
  void go_on(const Contact& contact);
  bool gone() const { return gone_; }

  // What to wait for. True: it has to be looked after before long in any case.
  bool add_to(std::vector<pollfd>& waits) const;

 private:
  using Clock = std::chrono::steady_clock;
  // To one of the other's addresses. Several may lead there, and some to another process.
  struct Attempt {
    std::unique_ptr<watch::Connection> connection;
    bool greeted;
  };

  void dial(const Contact& contact);
  void go_on_dialing(const Contact& contact);
  bool go_on(Attempt& attempt, const Contact& contact);
  void write();

  std::vector<Attempt> attempts_;
  std::unique_ptr<watch::Connection> line_;
  Bytes unsent_;
  bool dialed_ = false;
  bool reached_ = false;  // some process has taken a connection
  int refusals_ = 0;      // by processes that were reached
  Clock::time_point since_;
  bool gone_ = false;
};

}  // namespace xylem::survive

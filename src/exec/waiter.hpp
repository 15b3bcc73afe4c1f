// How a CPU thread waits for another rank: a short spin, then politely. While it waits it moves what only this thread can
// move: Xylem's own network traffic, calls that are outstanding on other communicators, and the MPI below (a peer may sit in
// MPI_Recv for a message that only our progress can complete). Nobody wakes who sleeps: a nap ends by itself, and then the
// thread looks again. Used by one thread at a time.
#pragma once

#include <cstdint>

#include "exec/fault.hpp"

namespace xylem::exec {

// Something to poke while waiting; returns at once. `function` may be null.
struct Progress {
  void (*function)(void* context) = nullptr;
  void* context = nullptr;

  void operator()() const {
    if (function != nullptr) function(context);
  }
};

// What a rank waits for, where others can see it. Written once a wait has lasted longer than a spin.
struct Awaited {
  std::uint64_t since;  // nanoseconds of the steady clock
  std::uint32_t who;    // a rank, or its place on the board
  std::uint32_t kind;   // 0: no rank in particular; see AwaitedKind
};
enum class AwaitedKind : std::uint32_t { nobody, rank, board_member };

// What to call now and then in a wait that lasts, with its seconds so far. Returns Fault::none to go on.
struct LookAround {
  Fault (*function)(void* context, double seconds) = nullptr;
  void* context = nullptr;
};

class Waiter {
 public:
  // `crowded`: more ranks than cores on this host, so that spinning only takes time from those waited for.
  // `abort_word` is set by any rank of the communicator that fails: see exec/fault.hpp.
  // `timeout_seconds`: how long one wait may last, 0: for ever.
  // `network` is what this wait is about, `elsewhere` what else is under way in this process.
  Waiter(const std::uint32_t* abort_word, bool crowded, double timeout_seconds, Progress network, Progress elsewhere,
         Progress bootstrap)
      : abort_word_(abort_word),
        spins_(network.function != nullptr ? 0
               : crowded                   ? kCrowdedSpins
                                           : kSpins),
        pokes_(network.function == nullptr || crowded ? 0 : kPokes),
        timeout_(timeout_seconds),
        network_(network),
        elsewhere_(elsewhere),
        bootstrap_(bootstrap) {}

  // How often to look again before the first pause().
  std::uint32_t spins() const { return spins_; }

  // Where to write what is waited for, and what to call after a quarter of a second and then every second or so.
  void report_to(Awaited* note, LookAround look_around) {
    note_ = note;
    look_around_ = look_around;
  }

  // Call before the first pause() of a wait.
  void start(AwaitedKind kind = AwaitedKind::nobody, std::uint32_t who = 0) {
    pauses_ = 0;
    since_ = 0;
    kind_ = kind;
    who_ = who;
  }
  // Nanoseconds of the steady clock at which the last wait began that lasted longer than a spin. 0: it did not.
  std::uint64_t since() const { return since_; }

  // One polite step: progress, then yield or sleep, longer the longer the wait lasts.
  // Returns Fault::none to look again, or why waiting has no sense any more.
  Fault pause();

  // The same without progress and pause, for a wait that comes back now and then instead.
  Fault look();

  // From now on no wait has sense any more: pause() and look() return this fault, or an earlier one.
  void end(Fault fault) {
    if (ended_ == Fault::none) ended_ = fault;
  }
  // What ended all waits, as far as this rank has noticed.
  Fault ended() const { return ended_; }

  // Moves the network once, without waiting.
  void poke_network() { network_(); }

 private:
  // Some tens of microseconds of spinning where each rank has a core: above the time of most hand-overs, far below a
  // scheduler's slice.
  static constexpr std::uint32_t kSpins = 1000;
  static constexpr std::uint32_t kCrowdedSpins = 10;
  // Where a network has to be driven, the spin is replaced by this many looks at it before the first yield.
  static constexpr std::uint32_t kPokes = 200;
  // Sleeps in place of yields after one that took long: so many, twice as many after the next, and so on.
  static constexpr std::uint32_t kFewestNaps = 16;
  static constexpr std::uint32_t kMostNaps = 1024;

  Fault notice();
  Fault look_at_clock();
  void publish() const;
  void give_way();

  const std::uint32_t* abort_word_;
  Fault ended_ = Fault::none;  // for good
  std::uint32_t spins_;
  std::uint32_t pokes_;
  std::uint32_t pauses_ = 0;
  std::uint32_t naps_ = 0;  // still to take; outlasts a wait
  std::uint32_t naps_after_ = kFewestNaps;
  double timeout_;           // seconds
  std::uint64_t since_ = 0;  // 0 until the clock is first asked in a wait
  AwaitedKind kind_ = AwaitedKind::nobody;
  std::uint32_t who_ = 0;
  Awaited* note_ = nullptr;
  LookAround look_around_;
  double next_look_ = 0;  // seconds of this wait
  Progress network_;
  Progress elsewhere_;
  Progress bootstrap_;
};

// Tells the core that this is a spin loop.
inline void spin_pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace xylem::exec

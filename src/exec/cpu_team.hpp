// The Team of a CPU rank: one thread. It has the shape of a CUDA block's Team (exec/port.hpp), so that one text serves both.
// Where a call runs on a fiber of its own, in the background, a wait gives the thread back to whoever drives that fiber; else
// it keeps the thread and waits politely.
#pragma once

#include "exec/fault.hpp"
#include "exec/fiber.hpp"
#include "exec/waiter.hpp"

namespace xylem::exec {

class CpuTeam {
 public:
  // `half` is for the second half of a split. `background` is what nonblocking calls run on.
  CpuTeam(Waiter& waiter, Fiber& half, Fiber& background) : waiter_(&waiter), half_(&half), background_(&background) {}

  static constexpr bool kConnects = true;
  static constexpr bool kLends = true;
  static constexpr int rank() { return 0; }
  static constexpr int size() { return 1; }
  static void sync() {}
  template <class Function>
  static auto lead(Function function) {
    return function();
  }
  static Fault agree(Fault fault) { return fault; }

  // The other half of a split may wait for what this one will not do any more.
  void report(Fault, std::uint32_t, bool) { waiter_->end(Fault::aborted); }

  // Returns when ready() holds, with Fault::none, or with the reason why it never may. `who`: the
  // rank that is waited for, or its place on the board.
  template <class Ready>
  Fault wait(Ready ready, std::uint32_t who, bool on_board) {
    return wait(ready, on_board ? AwaitedKind::board_member : AwaitedKind::rank, who);
  }
  template <class Ready>
  Fault wait(Ready ready, AwaitedKind kind = AwaitedKind::nobody, std::uint32_t who = 0) {
    if (ready()) return Fault::none;
    if (!half_->running() && !background_->running()) {
      for (std::uint32_t i = waiter_->spins(); i != 0; --i) {
        spin_pause();
        if (ready()) return Fault::none;
      }
    }
    waiter_->start(kind, who);
    for (;;) {
      if (half_->running()) half_->switch_over();  // the other half may do what we wait for, or its own work meanwhile
      if (ready()) {
        ++waits_passed_;
        return Fault::none;
      }
      if (!half_->inside()) pause();  // the first half does it for both
      if (const Fault fault = waiter_->ended(); fault != Fault::none) return fault;
    }
  }

  Fault look() { return waiter_->look(); }

  // How many waits took more than a look: whether a call in the background has moved.
  std::uint64_t waits_passed() const { return waits_passed_; }

  // Runs both at the same time: one waits where the other goes on. Neither splits again.
  template <class First, class Second>
  void split(First first, Second second) {
    half_->start([](void* function) { (*static_cast<Second*>(function))(); }, &second);
    first();
    while (half_->running()) {
      half_->switch_over();
      if (half_->running()) pause();  // it waits
    }
  }

 private:
  void pause() {
    if (waiter_->ended() != Fault::none) return;
    if (background_->running()) {
      background_->switch_over();  // and back, when somebody drives this call again
      waiter_->look();
    } else {
      waiter_->pause();
    }
  }

  Waiter* waiter_;
  Fiber* half_;
  Fiber* background_;
  std::uint64_t waits_passed_ = 0;
};

}  // namespace xylem::exec

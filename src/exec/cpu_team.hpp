// The Team of a CPU rank: one thread. It has the shape of a CUDA block's Team (exec/port.hpp), so that one text serves both.
#pragma once

#include "exec/fault.hpp"
#include "exec/fiber.hpp"
#include "exec/waiter.hpp"

namespace xylem::exec {

class CpuTeam {
 public:
  CpuTeam(Waiter& waiter, Fiber& fiber) : waiter_(&waiter), fiber_(&fiber) {}

  static constexpr bool kConnects = true;
  static constexpr int rank() { return 0; }
  static constexpr int size() { return 1; }
  static void sync() {}
  template <class Function>
  static auto lead(Function function) {
    return function();
  }
  static Fault agree(Fault fault) { return fault; }

  // The other half of a split may wait for what this one will not do any more.
  void report(Fault, std::uint32_t, bool) { stopped_ = true; }

  // Returns when ready() holds, with Fault::none, or with the reason why it never may.
  template <class Ready>
  Fault wait(Ready ready) {
    if (ready()) return Fault::none;
    if (!fiber_->running()) {
      for (std::uint32_t i = waiter_->spins(); i != 0; --i) {
        spin_pause();
        if (ready()) return Fault::none;
      }
    }
    waiter_->start();
    for (;;) {
      if (fiber_->running()) fiber_->switch_over();  // the other half may do what we wait for, or its own work meanwhile
      if (ready()) return Fault::none;
      if (stopped_) return Fault::aborted;
      if (const Fault fault = waiter_->pause(); fault != Fault::none) return fault;
      if (ready()) return Fault::none;
    }
  }

  // Runs both at the same time: one waits where the other goes on. Neither splits again.
  template <class First, class Second>
  void split(First first, Second second) {
    fiber_->start([](void* function) { (*static_cast<Second*>(function))(); }, &second);
    first();
    while (fiber_->running()) {
      // Only the fiber is left: its waits come back here, and the pause is theirs, taken on its stack.
      fiber_->switch_over();
    }
  }

 private:
  Waiter* waiter_;
  Fiber* fiber_;
  bool stopped_ = false;  // a fault was met: for good
};

}  // namespace xylem::exec

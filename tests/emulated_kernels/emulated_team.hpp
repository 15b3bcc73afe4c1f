// The Team that executes a kernel's block on a CPU (exec/port.hpp): one thread, and a second one for the second half of a
// split. For tests of the kernels, and for the emulated GPU.
#pragma once

#include <sched.h>

#include <thread>

#include "cuda/kernels/kernel_call.hpp"

namespace xylem::cuda {

class EmulatedTeam {
 public:
  static constexpr bool kConnects = false;
  static constexpr bool kLends = false;

  EmulatedTeam(const KernelCall& call, std::uint32_t block) : call_(call), block_(block) {}

  static constexpr int rank() { return 0; }
  static constexpr int size() { return 1; }
  static void sync() {}
  template <class Function>
  static auto lead(Function function) {
    return function();
  }
  static exec::Fault agree(exec::Fault fault) { return fault; }

  template <class Ready>
  exec::Fault wait(Ready ready) const {
    while (!ready()) {
      if (exec::load_acquire(*call_.abort_word) != 0) return exec::Fault::aborted;
      sched_yield();
    }
    return exec::Fault::none;
  }

  void report(exec::Fault fault, std::uint32_t peer, bool on_board) const {
    report_fault(call_, block_, fault, peer, on_board);
  }

  template <class First, class Second>
  static void split(First first, Second second) {
    std::thread other(second);
    first();
    other.join();
  }

 private:
  const KernelCall& call_;
  std::uint32_t block_;
};

}  // namespace xylem::cuda

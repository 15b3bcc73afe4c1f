// The Port of a block of a kernel (exec/port.hpp) without a board: over slots, or, where the call's messages are small, over
// flagged words. One text of the verbs for both, so that a kernel is compiled once.
#pragma once

#include "cuda/kernels/block_arithmetic.hpp"
#include "cuda/kernels/line_port.hpp"
#include "exec/port.hpp"

namespace xylem::cuda {

template <class Team>
class BlockPort {
 public:
  using Slots = exec::MemoryPort<Team, BlockArithmetic>;
  static constexpr bool kLends = Slots::kLends;

  XYLEM_HD BlockPort(Slots& slots, const LinePort<Team>& lines) : slots_(slots), lines_(lines) {}

  XYLEM_HD exec::Fault fault() const { return lines_.used() ? lines_.fault() : slots_.fault(); }

  XYLEM_HD exec::Slice begin_send(std::uint32_t peer, std::size_t bytes) {
    return lines_.used() ? lines_.begin_send(peer, bytes) : slots_.begin_send(peer, bytes);
  }
  XYLEM_HD void end_send(std::uint32_t peer, std::size_t bytes) {
    lines_.used() ? lines_.end_send(peer, bytes) : slots_.end_send(peer, bytes);
  }
  XYLEM_HD exec::View begin_recv(std::uint32_t peer, std::size_t bytes) {
    return lines_.used() ? lines_.begin_recv(peer, bytes) : slots_.begin_recv(peer, bytes);
  }
  XYLEM_HD void end_recv(std::uint32_t peer) { lines_.used() ? lines_.end_recv(peer) : slots_.end_recv(peer); }

  XYLEM_HD void copy(exec::Slice out, exec::View in) {
    if (lines_.fault() == exec::Fault::none) slots_.copy(out, in);
  }
  XYLEM_HD void reduce(exec::Slice out, exec::View left, exec::View right) {
    if (lines_.fault() == exec::Fault::none) slots_.reduce(out, left, right);
  }

  template <class First, class Second>
  XYLEM_HD void split(First first, Second second) {
    // Halves may be threads of their own: neither writes what the other reads.
    LinePort<Team> first_lines = lines_, second_lines = lines_;
    slots_.split(
        [&](Slots& half) {
          BlockPort port(half, first_lines);
          first(port);
          first_lines.adopt(port.lines_);
        },
        [&](Slots& half) {
          BlockPort port(half, second_lines);
          second(port);
          second_lines.adopt(port.lines_);
        });
    if (!lines_.used()) return;
    lines_.adopt(first_lines);
    lines_.adopt(second_lines);
    lines_.agree();
  }

 private:
  Slots& slots_;
  LinePort<Team> lines_;
};

}  // namespace xylem::cuda

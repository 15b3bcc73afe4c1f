// Copy and reduce by all threads of a Team: what exec::MemoryPort moves data with in a kernel.
#pragma once

#include "cuda/kernels/copy_shared.hpp"
#include "cuda/kernels/reduce_shared.hpp"
#include "exec/slice.hpp"

namespace xylem::cuda {

struct BlockArithmetic {
  xylem_op op;
  xylem_type type;

  // A barrier passes bytes that nobody looks at through an allreduce.
  static XYLEM_HD BlockArithmetic of(const KernelCall& call) {
    if (call.op == XYLEM_OP_COUNT) return {XYLEM_BAND, XYLEM_BYTE};
    return {call.op, call.type};
  }

  template <class Team>
  XYLEM_HD void copy(const Team& team, exec::Slice out, exec::View in) const {
    copy_shared(share_of(team), out.data, in.data, in.bytes);
  }
  template <class Team>
  XYLEM_HD void reduce(const Team& team, exec::Slice out, exec::View left, exec::View right) const {
    reduce_shared(op, type, share_of(team), {out.data, left.data, right.data, out.bytes});
  }

  template <class Team>
  static XYLEM_HD Share share_of(const Team& team) {
    return {static_cast<std::uint32_t>(team.rank()), static_cast<std::uint32_t>(team.size())};
  }
};

}  // namespace xylem::cuda

// A block's share of a call, whatever the algorithm and whatever executes the block.
#pragma once

#include "cuda/kernels/block_port.hpp"
#include "cuda/kernels/kernel_call.hpp"
#include "cuda/kernels/residents.hpp"
#include "exec/lane.hpp"

namespace xylem::cuda {

template <class Algorithm, class Port>
XYLEM_HD exec::Fault run_on(Port& port, const coll::Args& part) {
  exec::Lane lane(port);
  Algorithm::run(lane, part);
  return port.fault();
}

template <class Algorithm, class Team>
XYLEM_HD void run_block(Team& team, const KernelCall& call, std::uint32_t block, std::uint32_t blocks) {
  coll::Args part = args_of(call, {block, blocks});
  Residents<Team> residents(team, call);
  if constexpr (requires { Algorithm::run(residents, call, part); }) {
    Algorithm::run(residents, call, part);
  } else {
    if (part.scratch != nullptr) part.scratch += block * call.scratch_stride;
    const coll::Range range = part.sent.at(0);
    if (call.folded != nullptr) {
      for_each_piece(range.length, [&](std::size_t at, std::size_t bytes) {
        residents.fold(call.folded_first, call.folded + range.first + at, range.first + at, bytes);
      });
    }
    exec::Endpoints endpoints = call.endpoints[block];
    using Slots = typename BlockPort<Team>::Slots;
    Slots slots(team, endpoints, BlockArithmetic::of(call), call.signature);
    exec::Fault fault{};
    if constexpr (Algorithm::traits.board) {
      fault = run_on<Algorithm>(slots, part);
    } else {
      BlockPort<Team> port(slots, LinePort<Team>(team, call.lines != nullptr ? call.lines + block : nullptr, call.signature));
      fault = run_on<Algorithm>(port, part);
    }
    if (fault == exec::Fault::none) residents.spread(range.first, range.length);
  }
}

}  // namespace xylem::cuda

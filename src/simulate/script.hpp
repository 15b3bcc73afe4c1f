// What a rank does in a call, with the time that each step takes: recorded steps as the replay runs them.
#pragma once

#include <cstdint>
#include <vector>

#include "coll/traits.hpp"
#include "verify/program.hpp"

namespace xylem::simulate {

enum class Act : std::uint8_t {
  work,        // for `amount` seconds
  begin_send,  // to `peer`, a message of `amount` bytes
  end_send,
  begin_recv,  // from `peer`
  end_recv,
  settle,  // until all messages to `peer` are given back
  begin_publish,
  end_publish,
  fetch,  // from member `peer` of the host
  finish,
  fork,  // as in verify::Action
  next,
  join,
};

struct TimedStep {
  Act act;
  std::uint32_t peer;
  double amount;
};

using Script = std::vector<TimedStep>;

// Hosts are filled one after the other, with as many ranks each; the last may have fewer.
constexpr std::uint32_t host_of(const coll::Workload& work, std::uint32_t rank) { return rank / work.ranks_per_host; }

// A copy or reduction takes the time of its bytes in the caches of its core; what another core of the host has written, and
// this one looks at for the first time, takes the time of its link beside. Messages keep both ends busy for the overhead of
// their link. Steps without a wait between them are one.
Script time_steps(const verify::Program& program, std::uint32_t rank, const coll::Workload& work);

}  // namespace xylem::simulate

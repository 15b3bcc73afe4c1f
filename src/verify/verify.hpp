// Proves an algorithm right for one number of ranks, placement and shape of channels: the text that runs on CPU and GPU is
// recorded for every rank, and the recorded steps are run over symbolic values.
//
// Proved are: each output element has exactly the right contributions, each once; in an allreduce all ranks have them in one
// association and operand order, in a scan in the order of ranks, and along the canonical tree (coll/cores.hpp) where the
// algorithm promises that; a barrier lets nobody go before all have come; channels and boards of the given depth do not
// deadlock; no slot or buffer is touched by a rank that does not hold it, in this or in a neighbouring call; every message is
// received with the length it was sent with.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "verify/call_setup.hpp"
#include "verify/machine.hpp"

namespace xylem::verify {

struct Job {
  std::vector<std::uint32_t> host_of;  // by rank
  std::vector<CallSpec> calls;
  std::uint32_t slots = 4;
  std::uint32_t board_depth = 4;
  std::vector<topo::Locality> parts{};  // of the hosts, by rank: levels inside; none: all ranks of a host are alike
};

// What an algorithm of the catalogue does on the rank that is given these arguments.
Program record(std::uint32_t algorithm, const coll::Args& args, bool refuses = false);

// What a rank does in a call.
Program record(const Job& job, const CallSpec& call, std::uint32_t rank);

// Nothing, or the first violation. `programs` by call and rank; by default what record() gives (tests change them).
std::optional<Violation> prove(const Job& job);
std::optional<Violation> prove(const Job& job, const std::vector<std::vector<Program>>& programs);

// "rank 3, call 0 (allreduce ring), step 7: ...".
std::string explain(const Job& job, const Violation& violation);

}  // namespace xylem::verify

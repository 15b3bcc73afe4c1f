// What a peer is asked to measure, as the protocol (process.hpp) writes it.
#pragma once

#include <string>

#include "bench/call_kind.hpp"
#include "bench/options.hpp"

namespace xylem::tools {

std::string to_text(const CallKind& kind, const BenchEffort& effort);

// What a line of the protocol asks for: a kind of call, or a round of so many calls.
struct PeerQuestion {
  CallKind kind{};
  BenchEffort effort;
  int batch = 0;  // 0: it is the kind of call
};
// Throws std::runtime_error.
PeerQuestion read_question(const std::string& line);

}  // namespace xylem::tools

// Proofs of an algorithm over ranges of ranks and placements on hosts, with single calls and rows of calls.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "verify/verify.hpp"

namespace xylem::verify {

struct SweepRange {
  std::uint32_t first_ranks = 2;  // at least 2: one rank alone moves nothing
  std::uint32_t last_ranks = 32;
  std::uint32_t hosts = 0;  // 0: the placements below; else this many hosts, filled one after the other and round robin
  std::uint32_t slots = 4;
  std::uint32_t board_depth = 4;
};

struct SweepResult {
  std::uint64_t proved = 0;  // jobs
  // The first violation, which is one of the fewest ranks, in words; the sweep ends with it.
  std::optional<std::string> violation;
};

// By rank the host it is on.
using Placement = std::vector<std::uint32_t>;

// The numbers of ranks from `first` to `last` that stand for all: every one up to 64, and of those above the powers of two
// with their neighbours, one and a half times them, and the last.
std::vector<std::uint32_t> rank_numbers(std::uint32_t first, std::uint32_t last);

// All on one host; two halves; round robin over three hosts; two on each; one host with half of the ranks and the others
// alone. Or those that `hosts` asks for. Where an algorithm works inside one host only, that one; and of these those in which
// all the algorithms work.
std::vector<Placement> placements(std::uint32_t ranks, std::span<const std::uint32_t> algorithms, std::uint32_t hosts = 0);

// A call whose count, chunk, root and buffers come from `variant`: counts of 1, less than a rank's share, one over a chunk,
// and of several rounds; of more than 64 ranks a few rounds. A chunk has an element for each rank where it must. Blocks are
// lent, or not, or cannot be read, where the algorithm lends.
CallSpec sample_call(std::uint32_t algorithm, std::uint32_t ranks, std::uint32_t variant);

// Single calls of one algorithm, for the rank_numbers() of the range and every placement in which it works; where it uses
// levels inside hosts (coll/levels.hpp), with and without them.
SweepResult sweep_calls(std::uint32_t algorithm, const SweepRange& range);

// Rows of three calls, in which the algorithm takes turns with every algorithm of the catalogue: what a fast rank sends must
// not be taken for part of an earlier call. A few numbers of ranks of the range stand for all.
SweepResult sweep_rows(std::uint32_t algorithm, const SweepRange& range);

}  // namespace xylem::verify

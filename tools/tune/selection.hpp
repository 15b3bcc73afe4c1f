// Which of several ways is the fastest, as far as samples can tell.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "plan/rules.hpp"

namespace xylem::tools {

// One way to run a call, and its times: sample i of all contenders was taken in the same round.
struct Contender {
  std::uint32_t algorithm;
  std::size_t chunk_bytes;  // 0: the plan's
  std::vector<double> seconds;
};

// The median is lower by more than machines differ from run to run, and so was the time in nearly every single round: a
// disturbance that met one of the two makes neither.
bool clearly_faster(const std::vector<double>& seconds, const std::vector<double>& than);

// The contender with the least median if it is clearly faster than the incumbent, else the incumbent.
std::size_t select(const std::vector<Contender>& contenders, std::size_t incumbent);

// What was chosen for a size.
struct TunedSize {
  std::size_t bytes;
  std::uint32_t algorithm;
  std::size_t chunk_bytes;  // 0: the plan's

  bool same_way(const TunedSize& other) const { return algorithm == other.algorithm && chunk_bytes == other.chunk_bytes; }
};

// Whether the plan goes by the sizes of calls: a barrier has none, and there are blocks whose lengths few ranks know.
bool sized(coll::Collective collective);

// Rules up to the largest size that was measured; beyond it the plan decides. Between two sizes that go different ways they
// switch at the geometric mean. `sizes` rise.
std::vector<plan::Rule> rules_of(coll::Collective collective, std::size_t hosts, std::size_t ranks,
                                 const std::vector<TunedSize>& sizes);

}  // namespace xylem::tools

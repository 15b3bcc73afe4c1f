// How long a call takes: by replaying what the algorithm does on every rank where that is not too much, else by replays of
// fewer bytes, else by its formula.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "coll/collective.hpp"
#include "coll/traits.hpp"
#include "plan/planner.hpp"
#include "simulate/replay.hpp"

namespace xylem::simulate {

// The call that `work` says, run by one of the catalogue's algorithms in chunks of work.chunk_bytes. Nothing where all ranks
// together take more than `most_steps`, or are more than the recorder can name.
std::optional<double> replay(std::uint32_t algorithm, const coll::Workload& work, const Depths& depths,
                             std::size_t most_steps);

// How a time was found.
enum class Method : std::uint8_t {
  replay,
  extrapolation,  // from replays of fewer bytes, where every further byte takes as long as the one before
  formula,        // the cost formula of the algorithm
};

struct Prediction {
  std::uint32_t algorithm;  // in the catalogue
  double seconds;
  Method method;
};

// By the first method that takes no more than `most_steps`.
Prediction predict(std::uint32_t algorithm, const coll::Workload& work, const Depths& depths, std::size_t most_steps);

struct Scenario {
  coll::Collective collective;
  std::vector<std::uint32_t> algorithms;  // of the catalogue, that are looked at
  plan::Shape shape;
  std::size_t chunk_bytes = 0;  // as XYLEM_CHUNK
  Depths depths;
  std::size_t most_steps;
};

// Those of the algorithms that can run there, in the order of the catalogue. `bytes` as Planner::choose() takes them.
std::vector<Prediction> predict(const Scenario& scenario, std::size_t bytes);

// The fastest of them. At least one.
const Prediction& best(const std::vector<Prediction>& predictions);

// From `bytes` on, up to the next stretch, this algorithm is the fastest.
struct Stretch {
  std::size_t bytes;
  std::uint32_t algorithm;
};

// The fastest algorithms from `first` bytes to `last`. Where one gives way to another is found to within a tenth; a stretch
// that lies wholly between two neighbouring powers of two may be missed.
std::vector<Stretch> stretches(const Scenario& scenario, std::size_t first, std::size_t last);

}  // namespace xylem::simulate

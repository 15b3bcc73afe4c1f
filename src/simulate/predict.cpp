#include "simulate/predict.hpp"

#include <algorithm>
#include <cmath>

#include "plan/catalogue.hpp"
#include "simulate/call.hpp"
#include "verify/verify.hpp"

namespace xylem::simulate {

namespace {

// The recorder's names for ranks have 16 bits, one of which are taken.
constexpr std::uint32_t kMostRanks = 0xFFFF;

}  // namespace

std::optional<double> replay(std::uint32_t algorithm, const coll::Workload& work, const Depths& depths,
                             std::size_t most_steps) {
  if (work.ranks > kMostRanks) return std::nullopt;
  const Call call(plan::catalogue()[algorithm].collective, work);
  const auto script = [&](std::uint32_t rank) { return time_steps(verify::record(algorithm, call.args(rank)), rank, work); };
  // The first rank may be the root, the others have about as much to do as each other.
  if (script(work.ranks - 1).size() * work.ranks > most_steps || script(0).size() > most_steps) return std::nullopt;
  Replay run(work, depths);
  for (std::uint32_t rank = 0; rank < work.ranks; ++rank) run.add(script(rank));
  return run.run();
}

Prediction predict(std::uint32_t algorithm, const coll::Workload& work, const Depths& depths, std::size_t most_steps) {
  if (const auto seconds = replay(algorithm, work, depths, most_steps)) return {algorithm, *seconds, Method::replay};
  // The pipes are filled when every rank has had a chunk of every other.
  coll::Workload less = work;
  const double filled = 2 * work.chunk_bytes * work.ranks;
  for (less.bytes = std::floor(work.bytes / 2); less.bytes >= filled; less.bytes = std::floor(less.bytes / 2)) {
    const auto seconds = replay(algorithm, less, depths, most_steps);
    if (!seconds) continue;
    coll::Workload half = less;
    half.bytes = std::floor(less.bytes / 2);
    const double per_byte = (*seconds - replay(algorithm, half, depths, most_steps).value()) / (less.bytes - half.bytes);
    return {algorithm, *seconds + (work.bytes - less.bytes) * per_byte, Method::extrapolation};
  }
  return {algorithm, plan::catalogue()[algorithm].cost(work), Method::formula};
}

std::vector<Prediction> predict(const Scenario& scenario, std::size_t bytes) {
  const plan::Planner planner(scenario.shape, "", scenario.chunk_bytes);
  std::vector<Prediction> predictions;
  for (const plan::Candidate& candidate : planner.explain(scenario.collective, bytes, element_bytes(scenario.collective))) {
    const auto& wanted = scenario.algorithms;
    if (!candidate.possible || std::find(wanted.begin(), wanted.end(), candidate.algorithm) == wanted.end()) continue;
    coll::Workload work = plan::workload(scenario.shape, static_cast<double>(bytes));
    work.chunk_bytes = candidate.chunk_bytes;
    predictions.push_back(predict(candidate.algorithm, work, scenario.depths, scenario.most_steps));
  }
  std::sort(predictions.begin(), predictions.end(),
            [](const Prediction& a, const Prediction& b) { return a.algorithm < b.algorithm; });
  return predictions;
}

const Prediction& best(const std::vector<Prediction>& predictions) {
  return *std::min_element(predictions.begin(), predictions.end(),
                           [](const Prediction& a, const Prediction& b) { return a.seconds < b.seconds; });
}

std::vector<Stretch> stretches(const Scenario& scenario, std::size_t first, std::size_t last) {
  const auto best_at = [&](std::size_t bytes) { return best(predict(scenario, bytes)).algorithm; };
  std::vector<Stretch> found = {{first, best_at(first)}};
  for (std::size_t below = first; below < last;) {
    const std::size_t above = std::min(below * 2, last);
    const std::uint32_t there = best_at(above);
    if (there != found.back().algorithm) {
      std::size_t low = below, high = above;
      while (high - low > std::max<std::size_t>(low / 10, 1)) {
        const std::size_t middle = low + (high - low) / 2;
        (best_at(middle) == there ? high : low) = middle;
      }
      found.push_back({high, there});
    }
    below = above;
  }
  return found;
}

}  // namespace xylem::simulate

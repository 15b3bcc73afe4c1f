#include "tune/tuner.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "plan/catalogue.hpp"
#include "samples.hpp"
#include "units.hpp"

namespace xylem::tools {
namespace {

constexpr std::size_t least_chunk = 4096;
constexpr std::size_t chunk_divisors[] = {2, 4, 8};

std::size_t find(const std::vector<Contender>& contenders, std::uint32_t algorithm, std::size_t chunk) {
  const auto found = std::find_if(contenders.begin(), contenders.end(), [=](const Contender& contender) {
    return contender.algorithm == algorithm && contender.chunk_bytes == chunk;
  });
  return static_cast<std::size_t>(found - contenders.begin());
}

}  // namespace

// What can run there, the plan's own choice first.
std::vector<Contender> Tuner::algorithms_for(coll::Collective collective, std::size_t bytes) {
  std::vector<Contender> contenders;
  comm_.force("");
  for (const plan::Candidate& candidate : comm_.planner().explain(collective, bytes, sizeof(float)))
    if (candidate.possible) contenders.push_back({candidate.algorithm, 0, {}});
  return contenders;
}

// The same algorithm in smaller chunks, where there are several chunks then.
std::vector<Contender> Tuner::chunks_for(coll::Collective collective, std::size_t bytes, const Contender& of,
                                         const TunedSize* before) {
  std::vector<Contender> contenders = {{of.algorithm, 0, {}}};
  comm_.force("");
  for (const plan::Candidate& candidate : comm_.planner().explain(collective, bytes, sizeof(float))) {
    if (candidate.algorithm != of.algorithm) continue;
    for (const std::size_t divisor : chunk_divisors) {
      const std::size_t chunk = candidate.chunk_bytes / divisor;
      if (chunk >= least_chunk && bytes > chunk) contenders.push_back({of.algorithm, chunk, {}});
    }
  }
  if (before != nullptr && before->algorithm == of.algorithm &&
      find(contenders, of.algorithm, before->chunk_bytes) == contenders.size()) {
    contenders.push_back({of.algorithm, before->chunk_bytes, {}});
  }
  return contenders;
}

TunedLine Tuner::tune_size(coll::Collective collective, std::size_t bytes, const TunedSize* before) {
  const auto progress = [&](const char* what) {
    return [this, text = fmt::format("{} {}: {}", coll::collective_name(collective), format_bytes(bytes), what)](
               double done) { progress_.show(fmt::format("{}, {:.0f}%", text, done * 100)); };
  };
  // Who holds the place of the next smaller size keeps it until another one is clearly faster.
  std::vector<Contender> algorithms = algorithms_for(collective, bytes);
  const std::uint32_t planned = algorithms.front().algorithm;
  bench_.measure(collective, bytes, algorithms, progress("algorithms"));
  const std::size_t holder = find(algorithms, before == nullptr ? planned : before->algorithm, 0);
  const std::size_t fallback = find(algorithms, planned, 0);
  std::size_t incumbent = holder < algorithms.size() ? holder : fallback;
  // Both may have been hopeless.
  if (incumbent == algorithms.size()) incumbent = 0;
  const Contender algorithm = algorithms[select(algorithms, incumbent)];

  std::vector<Contender> chunks = chunks_for(collective, bytes, algorithm, before);
  Contender chosen = algorithm;
  if (chunks.size() > 1) {
    bench_.measure(collective, bytes, chunks, progress("chunks"));
    const std::size_t held = before == nullptr || before->algorithm != algorithm.algorithm
                                 ? chunks.size()
                                 : find(chunks, algorithm.algorithm, before->chunk_bytes);
    chosen = chunks[select(chunks, held < chunks.size() ? held : 0)];
  }
  const double planned_seconds = fallback < algorithms.size() ? percentile(algorithms[fallback].seconds, 0.5) : 0;
  const Summary summary = summarize(chosen.seconds);
  return {{bytes, chosen.algorithm, chosen.chunk_bytes}, summary.median, planned_seconds, noisy(summary)};
}

std::vector<TunedLine> Tuner::tune(coll::Collective collective, const std::vector<std::size_t>& sizes) {
  std::vector<TunedLine> lines;
  for (const std::size_t bytes : sizes)
    lines.push_back(tune_size(collective, bytes, lines.empty() ? nullptr : &lines.back().chosen));
  progress_.clear();
  comm_.force("");
  return lines;
}

}  // namespace xylem::tools

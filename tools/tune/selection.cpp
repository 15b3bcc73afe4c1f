#include "tune/selection.hpp"

#include <algorithm>
#include <cmath>

#include "samples.hpp"

namespace xylem::tools {
namespace {

constexpr double margin = 0.95;      // of the median
constexpr double most_rounds = 0.8;  // in which it must be faster

// Between two sizes, where nothing was measured: as many times the one as the other is of it.
std::size_t geometric_mean(std::size_t a, std::size_t b) {
  return static_cast<std::size_t>(std::sqrt(static_cast<double>(a) * static_cast<double>(b)));
}

}  // namespace

bool clearly_faster(const std::vector<double>& seconds, const std::vector<double>& than) {
  const std::size_t rounds = std::min(seconds.size(), than.size());
  std::size_t won = 0;
  for (std::size_t round = 0; round < rounds; ++round) won += seconds[round] < than[round] ? 1 : 0;
  return rounds > 0 && static_cast<double>(won) >= most_rounds * static_cast<double>(rounds) &&
         percentile(seconds, 0.5) < margin * percentile(than, 0.5);
}

std::size_t select(const std::vector<Contender>& contenders, std::size_t incumbent) {
  const auto best = std::min_element(contenders.begin(), contenders.end(), [](const Contender& a, const Contender& b) {
    return percentile(a.seconds, 0.5) < percentile(b.seconds, 0.5);
  });
  if (!clearly_faster(best->seconds, contenders[incumbent].seconds)) return incumbent;
  return static_cast<std::size_t>(best - contenders.begin());
}

bool sized(coll::Collective collective) {
  return coll::facts(collective).input != coll::Buffer::none && coll::facts(collective).known_to_all;
}

std::vector<plan::Rule> rules_of(coll::Collective collective, std::size_t hosts, std::size_t ranks,
                                 const std::vector<TunedSize>& sizes) {
  std::vector<plan::Rule> rules;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (i == 0 || !sizes[i].same_way(sizes[i - 1])) {
      // Of two rules that both hold a size the first decides: this one begins behind it.
      const std::size_t first = i == 0 ? 0 : geometric_mean(sizes[i - 1].bytes, sizes[i].bytes);
      if (i > 0) rules.back().bytes.last = first;
      rules.push_back({collective, {first, first}, {hosts, hosts}, {ranks, ranks}, sizes[i].algorithm, sizes[i].chunk_bytes});
    }
    rules.back().bytes.last = sizes[i].bytes;
  }
  if (!sized(collective)) {
    for (plan::Rule& rule : rules) rule.bytes.last = plan::RuleRange::kNoEnd;
  }
  return rules;
}

}  // namespace xylem::tools

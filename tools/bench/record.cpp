#include "bench/record.hpp"

#include <algorithm>

namespace xylem::tools {
namespace {

// Rounds of both sides were measured one after the other, so what slowed one round down meets both of a pair.
std::vector<double> ratios(const Row& row, std::size_t peer) {
  const std::vector<double>&mine = row.sides.front().seconds, &theirs = row.sides[peer].seconds;
  std::vector<double> quotients;
  for (std::size_t round = 0; round < std::min(mine.size(), theirs.size()); ++round)
    quotients.push_back(theirs[round] / mine[round]);
  return quotients;
}

}  // namespace

double Row::ratio(std::size_t peer) const { return percentile(ratios(*this, peer), 0.5); }

Interval Row::ratio_interval(std::size_t peer) const { return median_interval(ratios(*this, peer)); }

std::size_t Row::best_peer() const {
  std::size_t best = 1;
  for (std::size_t peer = 2; peer < sides.size(); ++peer)
    if (ratio(peer) < ratio(best)) best = peer;
  return best;
}

double Row::of_limit() const { return measured() ? least_seconds / summary(0).median : 0; }

bool Row::wrong() const {
  return std::any_of(sides.begin(), sides.end(), [](const SideResult& side) { return side.wrong_calls > 0; });
}

bool Row::noisy() const {
  return std::any_of(sides.begin(), sides.end(),
                     [](const SideResult& side) { return tools::noisy(summarize(side.seconds)); });
}

std::string title_of(const Run& run, std::size_t side) {
  const std::string& name = run.sides[side];
  if (name == mpi_side) return run.setting.mpi_version;
  const auto peer = run.setting.peers.find(name);
  return peer == run.setting.peers.end() ? name : peer->second;
}

bool slower(const Row& row) {
  if (!row.measured()) return false;
  const std::size_t peer = row.best_peer();
  return row.ratio(peer) < 1 - equal_within && row.ratio_interval(peer).high < 1;
}

bool faster(const Row& row) {
  if (!row.measured()) return false;
  const std::size_t peer = row.best_peer();
  return row.ratio(peer) > 1 + equal_within && row.ratio_interval(peer).low > 1;
}

}  // namespace xylem::tools

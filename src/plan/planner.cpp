#include "plan/planner.hpp"

#include <algorithm>
#include <limits>
#include <string_view>
#include <tuple>

namespace xylem::plan {

namespace {

// Whole cache lines, so that every chunk starts on one and holds whole elements of every type.
constexpr std::uint32_t kChunkUnit = 64;

// What a block is taken to have where only two ranks know how long it is.
constexpr std::size_t kLikelyBlock = 4096;

}  // namespace

Planner::Planner(const Shape& shape, const std::string& rules, std::size_t chunk_bytes)
    : shape_(shape), chunk_limit_(chunk_bytes == 0 ? std::numeric_limits<std::size_t>::max() : chunk_bytes) {
  forced_.fill(kAny);
  read_rules(rules);
}

void Planner::read_rules(const std::string& rules) {
  const auto complain = [this](std::string_view rule, const std::string& why) {
    if (!complaints_.empty()) complaints_ += "; ";
    complaints_ += "XYLEM_ALGORITHM: '" + std::string(rule) + "' " + why;
  };
  for (std::string_view rest = rules; !rest.empty();) {
    const std::string_view rule = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), rule.size() + 1));
    if (rule.empty()) continue;
    const std::size_t colon = rule.find(':');
    if (colon == std::string_view::npos) {
      complain(rule, "is not of the form collective:algorithm");
      continue;
    }
    const std::string_view collective = rule.substr(0, colon), name = rule.substr(colon + 1);
    std::string known;
    bool found = false;
    for (std::uint32_t i = 0; i < catalogue().size(); ++i) {
      const Algorithm& algorithm = catalogue()[i];
      if (collective != coll::collective_name(algorithm.collective)) continue;
      known += (known.empty() ? "" : ", ") + std::string(algorithm.name);
      if (name != algorithm.name) continue;
      forced_[static_cast<std::size_t>(algorithm.collective)] = i;
      found = true;
    }
    if (known.empty()) {
      complain(rule, "names no collective that Xylem runs");
    } else if (!found) {
      complain(rule, "names no algorithm; there are " + known);
    }
  }
}

std::uint32_t Planner::channel_chunk() const {
  const std::size_t chunk = std::min<std::size_t>(chunk_limit_, shape_.slot_bytes);
  return static_cast<std::uint32_t>(std::max<std::size_t>(chunk / kChunkUnit, 1) * kChunkUnit);
}

std::uint32_t Planner::chunk_for(const Algorithm& algorithm) const {
  std::size_t chunk = chunk_limit_;
  if (algorithm.traits.board) chunk = std::min<std::size_t>(chunk, shape_.board_bytes);
  if (algorithm.traits.channels && !(algorithm.traits.board && shape_.hosts == 1)) {
    chunk = std::min<std::size_t>(chunk, shape_.slot_bytes);
  }
  return static_cast<std::uint32_t>(std::max<std::size_t>(chunk / kChunkUnit, 1) * kChunkUnit);
}

std::string Planner::obstacle(const Algorithm& algorithm, std::size_t element_bytes) const {
  if (algorithm.traits.board && shape_.board_bytes == 0) return "needs a board, which GPUs do not have";
  if (algorithm.traits.much_scratch && shape_.board_bytes == 0) return "needs more scratch memory than GPUs have";
  if (algorithm.traits.one_host_only && shape_.hosts > 1) return "works inside one host only";
  if (algorithm.traits.part_per_rank && chunk_for(algorithm) / element_bytes < shape_.ranks) {
    return "a board buffer does not hold an element for each rank";
  }
  return {};
}

std::vector<Candidate> Planner::explain(coll::Collective collective, std::size_t bytes, std::size_t element_bytes) const {
  std::vector<Candidate> candidates;
  const std::uint32_t forced = forced_[static_cast<std::size_t>(collective)];
  for (std::uint32_t i = 0; i < catalogue().size(); ++i) {
    const Algorithm& algorithm = catalogue()[i];
    if (algorithm.collective != collective) continue;
    Candidate candidate{i, true, chunk_for(algorithm), 0, obstacle(algorithm, element_bytes)};
    if (!candidate.reason.empty()) {
      candidate.possible = false;
    } else {
      const std::size_t likely = coll::facts(collective).known_to_all ? bytes : kLikelyBlock * shape_.ranks;
      coll::Workload work = workload(shape_, static_cast<double>(likely));
      work.chunk_bytes = candidate.chunk_bytes;
      candidate.seconds = algorithm.cost(work);
      if (i == forced) candidate.reason = "forced by XYLEM_ALGORITHM";
    }
    candidates.push_back(std::move(candidate));
  }
  // Equal costs keep the order of the list, the same on every rank.
  std::stable_sort(candidates.begin(), candidates.end(), [forced](const Candidate& a, const Candidate& b) {
    const auto key = [forced](const Candidate& c) { return std::tuple(!c.possible, c.algorithm != forced, c.seconds); };
    return key(a) < key(b);
  });
  return candidates;
}

Plan Planner::choose(coll::Collective collective, std::size_t bytes, std::size_t element_bytes) const {
  const Candidate best = explain(collective, bytes, element_bytes).front();
  return {best.algorithm, best.chunk_bytes};
}

}  // namespace xylem::plan

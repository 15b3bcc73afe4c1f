#include "plan/planner.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace xylem::plan {

namespace {

// Whole cache lines, so that every chunk starts on one and holds whole elements of every type.
constexpr std::uint32_t kChunkUnit = 64;

constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();

}  // namespace

Planner::Planner(const Shape& shape, const std::string& forced, std::size_t chunk_bytes, const std::string& tuned)
    : shape_(shape), chunk_limit_(chunk_bytes == 0 ? kNoLimit : chunk_bytes) {
  read_rules(forced, "XYLEM_ALGORITHM");
  read_rules(tuned, "the tuning file");
}

void Planner::read_rules(const std::string& rules, const char* source) {
  const RuleSet set = parse_rules(rules);
  for (const Rule& rule : set.rules) {
    if (rule.hosts.holds(shape_.hosts) && rule.ranks.holds(shape_.ranks)) rules_.push_back({rule, source});
  }
  for (const RuleComplaint& complaint : set.complaints) {
    complaints_.append(complaints_.empty() ? "" : "; ").append(source);
    complaints_.append(": '").append(complaint.token).append("' ").append(complaint.why);
  }
}

std::uint32_t Planner::channel_chunk() const {
  const std::size_t chunk = std::min<std::size_t>(chunk_limit_, shape_.slot_bytes);
  return static_cast<std::uint32_t>(std::max<std::size_t>(chunk / kChunkUnit, 1) * kChunkUnit);
}

std::uint32_t Planner::chunk_for(const Algorithm& algorithm, std::size_t most) const {
  std::size_t chunk = std::min(chunk_limit_, most);
  if (algorithm.traits.board) chunk = std::min<std::size_t>(chunk, shape_.board_bytes);
  if (algorithm.traits.channels && !(algorithm.traits.board && shape_.hosts == 1)) {
    chunk = std::min<std::size_t>(chunk, shape_.slot_bytes);
  }
  return static_cast<std::uint32_t>(std::max<std::size_t>(chunk / kChunkUnit, 1) * kChunkUnit);
}

std::string Planner::obstacle(const Algorithm& algorithm, std::size_t element_bytes, bool rounds) const {
  if (algorithm.traits.board && shape_.board_bytes == 0) return "needs a board, which GPUs do not have";
  if (const char* where = coll::obstacle(algorithm.traits, shape_.ranks, shape_.hosts, shape_.ranks_per_host)) return where;
  if (algorithm.traits.part_per_rank && chunk_for(algorithm, kNoLimit) / element_bytes < shape_.ranks) {
    return "a chunk does not hold an element for each rank";
  }
  if (canonical(algorithm.collective, rounds) &&
      !coll::sums_canonically(algorithm.traits, shape_.hosts, shape_.ranks_per_host, shape_.in_rank_order)) {
    return "sums in an order of its own, and sums shall be reproducible";
  }
  return {};
}

std::vector<Candidate> Planner::explain(coll::Collective collective, std::size_t bytes, std::size_t element_bytes,
                                        bool rounds) const {
  const std::size_t likely = coll::facts(collective).known_to_all ? bytes : kLikelyBlock * shape_.ranks;
  coll::Workload work = workload(shape_, static_cast<double>(likely));
  std::vector<Candidate> candidates;
  for (std::uint32_t i = 0; i < catalogue().size(); ++i) {
    const Algorithm& algorithm = catalogue()[i];
    if (algorithm.collective != collective) continue;
    Candidate candidate{i, true, chunk_for(algorithm, kNoLimit), 0, obstacle(algorithm, element_bytes, rounds)};
    if (!candidate.reason.empty()) {
      candidate.possible = false;
    } else {
      work.chunk_bytes = candidate.chunk_bytes;
      candidate.seconds = algorithm.cost(work);
    }
    candidates.push_back(std::move(candidate));
  }
  // Equal costs keep the order of the list, the same on every rank.
  std::stable_sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
    return std::pair(!a.possible, a.seconds) < std::pair(!b.possible, b.seconds);
  });
  apply_rules(candidates, work);
  return candidates;
}

// Moves the candidate of the first rule that fits to the front.
void Planner::apply_rules(std::vector<Candidate>& candidates, const coll::Workload& work) const {
  for (const auto& [rule, source] : rules_) {
    if (!rule.bytes.holds(static_cast<std::size_t>(work.bytes))) continue;
    const auto chosen = std::find_if(candidates.begin(), candidates.end(), [&, &wanted = rule](const Candidate& candidate) {
      return candidate.possible && candidate.algorithm == wanted.algorithm;
    });
    if (chosen == candidates.end()) continue;
    const Algorithm& algorithm = catalogue()[chosen->algorithm];
    if (rule.chunk_bytes != 0) {
      const std::uint32_t chunk = chunk_for(algorithm, rule.chunk_bytes);
      // A chunk that has no part for each rank is none.
      if (!algorithm.traits.part_per_rank || chunk >= kChunkUnit * shape_.ranks) chosen->chunk_bytes = chunk;
      coll::Workload chunked = work;
      chunked.chunk_bytes = chosen->chunk_bytes;
      chosen->seconds = algorithm.cost(chunked);
    }
    chosen->reason = std::string(source) + ": " + print_rule(rule);
    std::rotate(candidates.begin(), chosen, chosen + 1);
    return;
  }
}

Plan Planner::choose(coll::Collective collective, std::size_t bytes, std::size_t element_bytes, bool rounds) const {
  const Candidate best = explain(collective, bytes, element_bytes, rounds).front();
  return {best.algorithm, best.chunk_bytes, canonical(collective, rounds)};
}

}  // namespace xylem::plan

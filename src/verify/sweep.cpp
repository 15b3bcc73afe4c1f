#include "verify/sweep.hpp"

#include <algorithm>

#include "plan/catalogue.hpp"

namespace xylem::verify {

namespace {

constexpr std::uint32_t kEveryNumberUpTo = 64;

bool works(std::uint32_t algorithm, const Placement& placement) {
  std::vector<std::uint32_t> ranks_on(placement.size());
  for (const std::uint32_t host : placement) ++ranks_on[host];
  const auto hosts =
      static_cast<std::uint32_t>(std::count_if(ranks_on.begin(), ranks_on.end(), [](auto n) { return n > 0; }));
  return coll::obstacle(plan::catalogue()[algorithm].traits, static_cast<std::uint32_t>(placement.size()), hosts,
                        *std::max_element(ranks_on.begin(), ranks_on.end())) == nullptr;
}

// Parts of hosts, on which every host has levels that its number of ranks allows: of two or three ranks, and twice as many.
std::vector<topo::Locality> parts_of(const Placement& placement, std::uint32_t variant) {
  const std::int32_t in_complex = variant % 2 == 0 ? 2 : 3;
  std::vector<std::int32_t> ranks_on(placement.size());
  std::vector<topo::Locality> parts;
  for (const std::uint32_t host : placement) {
    const std::int32_t place = ranks_on[host]++;
    parts.push_back({place / (2 * in_complex), place / in_complex});
  }
  return parts;
}

// Adds the proof of one job; false where it failed.
bool add_proof(const Job& job, SweepResult& result) {
  if (const auto violation = prove(job)) {
    std::uint32_t hosts = 0;
    for (const std::uint32_t host : job.host_of) hosts = std::max(hosts, host + 1);
    result.violation =
        std::to_string(job.host_of.size()) + " ranks on " + std::to_string(hosts) + (hosts == 1 ? " host: " : " hosts: ");
    result.violation->append(explain(job, *violation));
    return false;
  }
  ++result.proved;
  return true;
}

}  // namespace

std::vector<std::uint32_t> rank_numbers(std::uint32_t first, std::uint32_t last) {
  std::vector<std::uint32_t> numbers;
  for (std::uint32_t ranks = first; ranks <= last; ++ranks) {
    const std::uint32_t power = coll::power_of_two_below(ranks);
    const bool special = ranks - power <= 1 || ranks == 2 * power - 1 || ranks == power + power / 2;
    if (ranks <= kEveryNumberUpTo || special || ranks == last) numbers.push_back(ranks);
  }
  return numbers;
}

std::vector<Placement> placements(std::uint32_t ranks, std::span<const std::uint32_t> algorithms, std::uint32_t hosts) {
  std::vector<Placement> made;
  const auto place = [&](auto host_of) {
    Placement placement;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) placement.push_back(host_of(rank));
    if (std::all_of(algorithms.begin(), algorithms.end(), [&](auto each) { return works(each, placement); })) {
      made.push_back(std::move(placement));
    }
  };
  const bool one_host_only = std::any_of(algorithms.begin(), algorithms.end(),
                                         [](std::uint32_t each) { return plan::catalogue()[each].traits.one_host_only; });
  if (one_host_only || hosts < 2) place([](std::uint32_t) { return 0U; });
  if (one_host_only || hosts == 1) return made;
  if (hosts > 1) {
    const std::uint32_t used = std::min(hosts, ranks);
    place([&](std::uint32_t rank) { return static_cast<std::uint32_t>(std::uint64_t{rank} * used / ranks); });
    place([&](std::uint32_t rank) { return rank % used; });
    return made;
  }
  place([&](std::uint32_t rank) { return rank < (ranks + 1) / 2 ? 0U : 1U; });
  place([](std::uint32_t rank) { return rank % 3; });
  place([](std::uint32_t rank) { return rank / 2; });
  place([&](std::uint32_t rank) { return rank < ranks / 2 ? 0U : rank - ranks / 2; });
  return made;
}

CallSpec sample_call(std::uint32_t algorithm, std::uint32_t ranks, std::uint32_t variant) {
  // Chunks of a few elements prove as much as large ones in less time, where a chunk need not have a part for each rank.
  const plan::Algorithm& chosen = plan::catalogue()[algorithm];
  const bool parts = chosen.traits.part_per_rank, many = ranks > kEveryNumberUpTo;
  const std::uint64_t chunk = parts || (variant % 4 == 0 && !many) ? ranks + variant % 3 : 1 + variant % 5;
  // Of a vector, or of each block.
  const coll::CollectiveFacts& facts = coll::facts(chosen.collective);
  const bool blocks = facts.input == coll::Buffer::blocks || facts.output == coll::Buffer::blocks;
  const std::uint64_t few_ranks[] = {1, ranks - 1, chunk * 3 + 1, blocks ? ranks + 2 : chunk * ranks + 2,
                                     blocks ? chunk * 2 : chunk * 11};
  // Steps are kept, and the more ranks, the more of them there are in a round: of many ranks a few rounds.
  const std::uint64_t round = parts ? chunk / ranks : chunk;
  const bool round_per_rank = !blocks && !parts && !chosen.traits.board;
  const std::uint64_t many_ranks[] = {1, round + 1, round * 3 + 1, round_per_rank ? round * ranks + 2 : round * 2 + 2,
                                      round * 3};
  const std::uint32_t which = variant % 5;
  const std::uint64_t count = many ? many_ranks[which] : few_ranks[which];
  // Lanes of this one in place would overwrite each other's input: see coll::Args::of_lane().
  const bool one_lane = variant % 2 == 1 && chosen.collective == coll::Collective::reduce_scatter;
  CallSpec call{algorithm, count, chunk, (variant * 7) % ranks, variant % 2 == 1, one_lane ? 1 : 1 + variant % 3};
  // In turn slots only, loans of all but short blocks, and the same where nobody can read them.
  const std::uint32_t lends = chosen.traits.lends ? variant / 2 % 3 : 0;
  if (lends != 0) call.loan = 1 + count / 4;
  call.refuses = lends == 2;
  return call;
}

SweepResult sweep_calls(std::uint32_t algorithm, const SweepRange& range) {
  const coll::Collective collective = plan::catalogue()[algorithm].collective;
  SweepResult result;
  for (const std::uint32_t ranks : rank_numbers(range.first_ranks, range.last_ranks)) {
    for (const Placement& placement : placements(ranks, {{algorithm}}, range.hosts)) {
      // Numbered so that neighbouring jobs differ in everything.
      const auto variant = algorithm + static_cast<std::uint32_t>(result.proved);
      Job job{placement, {sample_call(algorithm, ranks, variant)}, range.slots, range.board_depth};
      if (!add_proof(job, result)) return result;
      if (plan::catalogue()[algorithm].traits.levels) {
        job.parts = parts_of(placement, variant);
        if (!add_proof(job, result)) return result;
      }
      // Where sums shall be reproducible, ranks are not taken host by host.
      if (!coll::facts(collective).reduces || std::is_sorted(placement.begin(), placement.end())) continue;
      if (plan::catalogue()[algorithm].traits.sums != coll::SumOrder::canonical) continue;
      job.calls.front().by_rank = true;
      if (!add_proof(job, result)) return result;
    }
  }
  return result;
}

SweepResult sweep_rows(std::uint32_t algorithm, const SweepRange& range) {
  SweepResult result;
  for (std::uint32_t other = 0; other < plan::catalogue().size(); ++other) {
    for (const std::uint32_t ranks : {2U, 3U, 5U}) {
      if (ranks < range.first_ranks || ranks > range.last_ranks) continue;
      const auto places = placements(ranks, {{algorithm, other}}, range.hosts);
      if (places.empty()) continue;
      const Job job{places[(algorithm + other) % places.size()],
                    {sample_call(algorithm, ranks, algorithm + 2), sample_call(other, ranks, other + 3),
                     sample_call(algorithm, ranks, other)},
                    range.slots,
                    range.board_depth};
      if (!add_proof(job, result)) return result;
    }
  }
  return result;
}

}  // namespace xylem::verify

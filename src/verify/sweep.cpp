#include "verify/sweep.hpp"

#include <algorithm>

#include "plan/catalogue.hpp"

namespace xylem::verify {

namespace {

bool one_host_only(std::uint32_t algorithm) { return plan::catalogue()[algorithm].traits.one_host_only; }

// Adds the proof of one job; false where it failed.
bool add_proof(const Job& job, SweepResult& result) {
  if (const auto violation = prove(job)) {
    std::uint32_t hosts = 0;
    for (const std::uint32_t host : job.host_of) hosts = std::max(hosts, host + 1);
    result.violation = std::to_string(job.host_of.size()) + " ranks on " + std::to_string(hosts) + " hosts: ";
    result.violation->append(explain(job, *violation));
    return false;
  }
  ++result.proved;
  return true;
}

}  // namespace

std::vector<Placement> placements(std::uint32_t ranks, bool one_host_only, std::uint32_t hosts) {
  const auto place = [ranks](auto host_of) {
    Placement placement;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) placement.push_back(host_of(rank));
    return placement;
  };
  if (one_host_only || hosts == 1) return {Placement(ranks, 0)};
  if (hosts > 1) {
    const std::uint32_t used = std::min(hosts, ranks);
    return {place([&](std::uint32_t rank) { return static_cast<std::uint32_t>(std::uint64_t{rank} * used / ranks); }),
            place([&](std::uint32_t rank) { return rank % used; })};
  }
  return {Placement(ranks, 0), place([&](std::uint32_t rank) { return rank < (ranks + 1) / 2 ? 0U : 1U; }),
          place([](std::uint32_t rank) { return rank % 3; }),
          place([&](std::uint32_t rank) { return rank < ranks / 2 ? 0U : rank - ranks / 2; })};
}

CallSpec sample_call(std::uint32_t algorithm, std::uint32_t ranks, std::uint32_t variant) {
  // Chunks of a few elements prove as much as large ones in less time, where a chunk need not have a part for each rank.
  const bool parts = plan::catalogue()[algorithm].traits.part_per_rank;
  const std::uint64_t chunk = parts || variant % 4 == 0 ? ranks + variant % 3 : 1 + variant % 5;
  const std::uint64_t counts[] = {1, ranks - 1, chunk * 3 + 1, chunk * ranks + 2, chunk * 11};
  // Lanes of this one in place would overwrite each other's input: see coll::Args::of_lane().
  const bool one_lane = variant % 2 == 1 && plan::catalogue()[algorithm].collective == coll::Collective::reduce_scatter;
  return {algorithm, counts[variant % 5], chunk, (variant * 7) % ranks, variant % 2 == 1, one_lane ? 1 : 1 + variant % 3};
}

SweepResult sweep_calls(std::uint32_t algorithm, const SweepRange& range) {
  SweepResult result;
  for (std::uint32_t ranks = range.first_ranks; ranks <= range.last_ranks; ++ranks) {
    for (const Placement& placement : placements(ranks, one_host_only(algorithm), range.hosts)) {
      // Numbered so that neighbouring jobs differ in everything.
      const auto variant = algorithm + static_cast<std::uint32_t>(result.proved);
      if (!add_proof({placement, {sample_call(algorithm, ranks, variant)}, range.slots, range.board_depth}, result)) {
        return result;
      }
    }
  }
  return result;
}

SweepResult sweep_rows(std::uint32_t algorithm, const SweepRange& range) {
  SweepResult result;
  for (std::uint32_t other = 0; other < plan::catalogue().size(); ++other) {
    for (const std::uint32_t ranks : {2U, 3U, 5U}) {
      if (ranks < range.first_ranks || ranks > range.last_ranks) continue;
      const auto places = placements(ranks, one_host_only(algorithm) || one_host_only(other), range.hosts);
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

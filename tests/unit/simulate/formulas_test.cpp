// The cost formulas of the algorithms, which the plan chooses by, against the replay of what the algorithms do.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "plan/catalogue.hpp"
#include "simulate/call.hpp"
#include "simulate/predict.hpp"

namespace xylem::simulate {
namespace {

struct Hosts {
  std::uint32_t hosts, ranks_per_host;
};
constexpr Hosts kHosts[] = {{1, 2}, {1, 5}, {1, 8}, {2, 1}, {4, 1}, {8, 1}, {2, 4}, {4, 4}, {16, 2}, {3, 3}, {3, 8}};
// The time of a replay grows with the chunks; it has one thread, in which sanitizers find nothing more in many of them.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr std::size_t kBytes[] = {8, 64 << 10};
#else
constexpr std::size_t kBytes[] = {8, 4 << 10, 64 << 10, 1 << 20, 4 << 20};
#endif

plan::Shape shape_of(std::uint32_t ranks, std::uint32_t hosts) {
  return {.ranks = ranks,
          .hosts = hosts,
          .ranks_per_host = (ranks + hosts - 1) / hosts,
          .slot_bytes = 32 << 10,
          .board_bytes = 128 << 10,
          .network = plan::make_link(1.5e-6, 12e9)};
}

// How far the formula's time is from the replay's, either way.
double ratio_to_replay(const plan::Shape& shape, const plan::Candidate& candidate, std::size_t bytes) {
  coll::Workload work = plan::workload(shape, static_cast<double>(bytes));
  work.chunk_bytes = candidate.chunk_bytes;
  const double seconds = replay(candidate.algorithm, work, {4, 4}, 10'000'000).value();
  const double ratio = plan::catalogue()[candidate.algorithm].cost(work) / seconds;
  return std::max(ratio, 1 / ratio);
}

struct Worst {
  double ratio = 1;
  std::string where;
};

Worst worst(std::uint32_t number) {
  Worst most;
  const coll::Collective collective = plan::catalogue()[number].collective;
  for (const Hosts& on : kHosts) {
    const plan::Shape shape = shape_of(on.hosts * on.ranks_per_host, on.hosts);
    const plan::Planner planner(shape, "", 0);
    for (const std::size_t bytes : kBytes) {
      if (collective == coll::Collective::barrier && bytes != kBytes[0]) continue;
      for (const plan::Candidate& candidate : planner.explain(collective, bytes, 4)) {
        if (candidate.algorithm != number || !candidate.possible) continue;
        const double ratio = ratio_to_replay(shape, candidate, bytes);
        if (ratio < most.ratio) continue;
        most = {ratio, ", " + std::to_string(shape.ranks) + " ranks on " + std::to_string(on.hosts) + " hosts, " +
                           std::to_string(bytes) + " bytes"};
      }
    }
  }
  return most;
}

// Most are within 1.5; two ranks, and vectors of a few elements, are special for some.
TEST(Formulas, AreNearTheReplay) {
  for (std::uint32_t number = 0; number < plan::catalogue().size(); ++number) {
    const Worst most = worst(number);
    EXPECT_LT(most.ratio, 2.4) << coll::collective_name(plan::catalogue()[number].collective) << " "
                               << plan::catalogue()[number].name << most.where;
  }
}

// Long blocks are lent there.
TEST(Formulas, OfLoansAreNearTheReplay) {
  std::size_t checked = 0;
  for (const std::uint32_t ranks : {2U, 5U, 8U}) {
    plan::Shape shape = shape_of(ranks, 1);
    shape.loans = coll::Loans::from(2 << 10);
    const plan::Planner planner(shape, "", 0);
    for (const coll::Collective collective :
         {coll::Collective::alltoall, coll::Collective::gather, coll::Collective::scatter}) {
      const std::size_t bytes = std::size_t{256 << 10} * ranks;
      for (const plan::Candidate& candidate : planner.explain(collective, bytes, 4)) {
        const plan::Algorithm& algorithm = plan::catalogue()[candidate.algorithm];
        if (!algorithm.traits.lends) continue;
        ++checked;
        EXPECT_LT(ratio_to_replay(shape, candidate, bytes), 1.5)
            << coll::collective_name(collective) << " " << algorithm.name << ", " << ranks << " ranks";
        EXPECT_GT(candidate.seconds, 256e3 * shape.inside.lending.per_byte);
      }
    }
  }
  EXPECT_EQ(checked, 9U);
}

// Calls check(shape, candidate) for all that can run a call of so many bytes on 2 ... 17 ranks of 2 ... 4 hosts.
template <class Check>
void for_calls_between_hosts(std::size_t bytes, Check check) {
  for (std::uint32_t hosts = 2; hosts <= 4; ++hosts) {
    for (std::uint32_t ranks = hosts; ranks <= 17; ++ranks) {
      const plan::Shape shape = shape_of(ranks, hosts);
      const plan::Planner planner(shape, "", 0);
      for (std::size_t number = 0; number < coll::kCollectives; ++number) {
        for (const plan::Candidate& candidate : planner.explain(static_cast<coll::Collective>(number), bytes, 4)) {
          if (candidate.possible) check(shape, candidate);
        }
      }
    }
  }
}

std::string text(const plan::Shape& shape, const plan::Candidate& candidate) {
  const plan::Algorithm& algorithm = plan::catalogue()[candidate.algorithm];
  return std::string(coll::collective_name(algorithm.collective)) + " " + algorithm.name + ", " +
         std::to_string(shape.ranks) + " ranks on " + std::to_string(shape.hosts) + " hosts";
}

// Whatever the number of ranks, and whether or not the hosts have equally many.
TEST(Formulas, BetweenHostsEveryAlgorithmWaitsForTheNetwork) {
  for_calls_between_hosts(8, [](const plan::Shape& shape, const plan::Candidate& candidate) {
    EXPECT_GE(candidate.seconds, shape.network.latency) << text(shape, candidate);
  });
}

// A step of cores is between hosts for one number of ranks and inside for the next. The vector has a part for each of them:
// what has none sends nothing.
TEST(Formulas, OfCoresCountTheStepsThatTheReplayTakesBetweenHosts) {
  constexpr std::size_t kElementForEach = 4 << 10;
  for_calls_between_hosts(kElementForEach, [](const plan::Shape& shape, const plan::Candidate& candidate) {
    const plan::Algorithm& algorithm = plan::catalogue()[candidate.algorithm];
    const std::string name = algorithm.name;
    const bool sums = algorithm.collective == coll::Collective::allreduce || algorithm.collective == coll::Collective::reduce;
    const bool full = (shape.hosts - 1) * shape.ranks_per_host < shape.ranks;  // the replay has a rank on every host
    if ((name != "recursive_doubling" && name != "rabenseifner") || !sums || !full) return;
    EXPECT_LT(ratio_to_replay(shape, candidate, kElementForEach), 2) << text(shape, candidate);
  });
}

}  // namespace
}  // namespace xylem::simulate

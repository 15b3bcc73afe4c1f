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
constexpr Hosts kHosts[] = {{1, 2}, {1, 8}, {2, 1}, {4, 1}, {8, 1}, {4, 4}, {16, 2}};
constexpr std::size_t kBytes[] = {8, 4 << 10, 64 << 10, 1 << 20, 16 << 20};

// The formula's time divided by the replay's where they differ most, either way.
double worst(std::uint32_t number) {
  const plan::Algorithm& algorithm = plan::catalogue()[number];
  double most = 1;
  for (const Hosts& on : kHosts) {
    const plan::Shape shape{.ranks = on.hosts * on.ranks_per_host,
                            .hosts = on.hosts,
                            .ranks_per_host = on.ranks_per_host,
                            .slot_bytes = 32 << 10,
                            .board_bytes = 128 << 10,
                            .network = plan::make_link(1.5e-6, 12e9)};
    for (const std::size_t bytes : kBytes) {
      const plan::Planner planner(shape, "", 0);
      for (const plan::Candidate& candidate : planner.explain(algorithm.collective, bytes, 4)) {
        if (candidate.algorithm != number || !candidate.possible) continue;
        coll::Workload work = plan::workload(shape, static_cast<double>(bytes));
        work.chunk_bytes = candidate.chunk_bytes;
        const double seconds = replay(number, work, {4, 4}, 1'000'000).value();
        const double ratio = algorithm.cost(work) / seconds;
        most = std::max({most, ratio, 1 / ratio});
      }
    }
  }
  return most;
}

void expect_near_the_replay(const std::set<std::string>& names, double ratio) {
  for (std::uint32_t number = 0; number < plan::catalogue().size(); ++number) {
    const std::string name = plan::catalogue()[number].name;
    if (names.count(name) == 0) continue;
    EXPECT_LT(worst(number), ratio) << coll::collective_name(plan::catalogue()[number].collective) << " " << name;
  }
}

TEST(Formulas, OfRingsAndChainsAreNearTheReplay) { expect_near_the_replay({"ring", "chain"}, 1.7); }

// A rank has most of its work in one of the two trees, and the first chunk takes less than all of it.
TEST(Formulas, OfPairsOfTreesAreNearTheReplay) { expect_near_the_replay({"double_binary_tree", "balanced_host_tree"}, 1.7); }

TEST(Formulas, OfRecursiveDoublingAndHalvingAreNearTheReplay) {
  expect_near_the_replay({"rabenseifner", "dissemination"}, 1.8);
}

}  // namespace
}  // namespace xylem::simulate

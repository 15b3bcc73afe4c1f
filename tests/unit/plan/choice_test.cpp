// Which algorithm the plan takes for which size, on every kind of communicator: there always is one, and every algorithm can
// be had by force somewhere.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "plan/planner.hpp"

namespace xylem::plan {
namespace {

using coll::Collective;

struct Place {
  const char* name;
  Shape shape;
};

Shape shape_of(std::uint32_t hosts, std::uint32_t ranks_per_host, std::uint32_t board_bytes) {
  return {.ranks = hosts * ranks_per_host,
          .hosts = hosts,
          .ranks_per_host = ranks_per_host,
          .slot_bytes = 64 << 10,
          .board_bytes = board_bytes,
          .network = network_link("verbs")};
}

const Place kPlaces[] = {{"2 ranks", shape_of(1, 2, 64 << 10)},
                         {"8 ranks", shape_of(1, 8, 64 << 10)},
                         {"8 GPUs", shape_of(1, 8, 0)},
                         {"4 hosts of 1", shape_of(4, 1, 64 << 10)},
                         {"4 hosts of 8", shape_of(4, 8, 64 << 10)},
                         {"6 hosts of 6", shape_of(6, 6, 64 << 10)},
                         {"128 hosts of 64", shape_of(128, 64, 64 << 10)}};
constexpr std::size_t kSizes[] = {8, 1 << 10, 64 << 10, 1 << 20, 64 << 20, std::size_t{1} << 40U};

std::string size_text(std::size_t bytes) {
  return bytes < 1024      ? std::to_string(bytes)
         : bytes < 1 << 20 ? std::to_string(bytes >> 10U) + "K"
                           : std::to_string(bytes >> 20U) + "M";
}

// "allreduce, 8 ranks: flat, from 64K two_phase"; "" where some size has no algorithm.
std::string coverage(Collective collective, const Place& place, bool reproducible) {
  Shape shape = place.shape;
  shape.reproducible = reproducible;
  const Planner planner(shape, "", 0);
  std::string text =
      std::string(coll::collective_name(collective)) + ", " + place.name + (reproducible ? ", reproducible:" : ":");
  std::string before;
  for (const std::size_t bytes : kSizes) {
    const Candidate best = planner.explain(collective, bytes, 4).front();
    if (!best.possible) return "";
    const std::string name = catalogue()[best.algorithm].name;
    if (name != before) text += (before.empty() ? " " : ", from " + size_text(bytes) + " ") + name;
    before = name;
  }
  return text;
}

bool has_kernels(Collective collective) { return collective != Collective::barrier; }

TEST(Choice, EverySizeOfEveryCollectiveHasAnAlgorithm) {
  for (std::size_t i = 0; i < coll::kCollectives; ++i) {
    const auto collective = static_cast<Collective>(i);
    for (const Place& place : kPlaces) {
      if (place.shape.board_bytes == 0 && !has_kernels(collective)) continue;
      for (const bool reproducible : {false, true}) {
        if (reproducible && !coll::facts(collective).reduces) continue;
        const std::string text = coverage(collective, place, reproducible);
        EXPECT_NE(text, "") << coll::collective_name(collective) << ", " << place.name
                            << (reproducible ? ", reproducible" : "");
        std::printf("%s\n", text.c_str());
      }
    }
  }
}

// Where a sum must be reproducible, small vectors have an algorithm of few hops, and large ones of few bytes.
TEST(Choice, ReproducibleSumsHaveAnAlgorithmForSmallAndOneForLargeVectors) {
  const std::set<std::string> few_hops = {"flat", "recursive_doubling", "binomial", "recursive_halving", "gathered", "rail"};
  const std::set<std::string> few_bytes = {"two_phase", "rabenseifner", "recursive_halving", "chain", "rail", "flat"};
  for (const Place& place : kPlaces) {
    Shape shape = place.shape;
    shape.reproducible = true;
    const Planner planner(shape, "", 0);
    for (std::size_t i = 0; i < coll::kCollectives; ++i) {
      const auto collective = static_cast<Collective>(i);
      if (!coll::facts(collective).reduces) continue;
      const auto offered = [&](std::size_t bytes, const std::set<std::string>& wanted) {
        for (const Candidate& candidate : planner.explain(collective, bytes, 4)) {
          if (candidate.possible && wanted.count(catalogue()[candidate.algorithm].name) != 0) return true;
        }
        return false;
      };
      EXPECT_TRUE(offered(8, few_hops)) << coll::collective_name(collective) << ", " << place.name;
      EXPECT_TRUE(offered(64 << 20, few_bytes)) << coll::collective_name(collective) << ", " << place.name;
    }
  }
}

TEST(Choice, EveryAlgorithmCanBeHadByForce) {
  for (std::uint32_t number = 0; number < catalogue().size(); ++number) {
    const Algorithm& algorithm = catalogue()[number];
    const std::string rule = std::string(coll::collective_name(algorithm.collective)) + ":" + algorithm.name;
    std::size_t places = 0;
    for (const Place& place : kPlaces) {
      const Candidate best = Planner(place.shape, rule, 0).explain(algorithm.collective, 64 << 10, 4).front();
      places += best.algorithm == number && best.reason.starts_with("XYLEM_ALGORITHM") ? 1 : 0;
    }
    EXPECT_GT(places, 0U) << rule;
  }
}

}  // namespace
}  // namespace xylem::plan

// With XYLEM_REPRODUCIBLE sums have the same bits whatever the algorithm that is asked for, the chunks and the hosts of the
// ranks: those of one sum along the canonical tree that the test makes for itself.
#include <gtest/gtest.h>

#include "collective_case.hpp"
#include "plan/catalogue.hpp"
#include "rank_threads.hpp"

namespace xylem::test {
namespace {

using coll::Collective;

std::string rule_for(const plan::Algorithm& algorithm) {
  return std::string(coll::collective_name(algorithm.collective)) + ":" + algorithm.name;
}

// Counts of one chunk, of several, and of more than a chunk for each rank.
std::vector<Case> cases(std::uint32_t ranks) {
  constexpr std::size_t kMany = kSanitized ? 1009 : 5003;
  std::vector<Case> made;
  for (const std::size_t count : {std::size_t{1}, std::size_t{61}, kMany}) {
    const auto number = static_cast<int>(made.size());
    made.push_back({count, XYLEM_DOUBLE, XYLEM_SUM, (number * 2 + 1) % static_cast<int>(ranks), false, number, true});
    made.push_back({count, XYLEM_FLOAT, XYLEM_SUM, number % static_cast<int>(ranks), true, number + 1, true});
  }
  return made;
}

struct Place {
  int ranks;
  Hosts hosts;
};
const Place kPlaces[] = {{5, {}},
                         {8, {}},
                         {5, {0, 0, 0, 1, 1}},
                         {6, {0, 1, 2, 0, 1, 2}},  // not host by host
                         {6, {}},
                         {8, {0, 0, 0, 0, 1, 1, 1, 1}},
                         {8, {0, 1, 0, 1, 1, 0, 1, 0}}};
constexpr std::size_t kPlacesTried = kSanitized ? 4 : std::size(kPlaces);

class Reproducible : public testing::TestWithParam<std::size_t> {};

// Every algorithm is asked for; what sums in an order of its own is not taken.
TEST_P(Reproducible, SumsHaveTheBitsOfTheCanonicalTree) {
  const Place& place = kPlaces[GetParam()];
  for (const std::size_t chunk : {std::size_t{512}, std::size_t{0}}) {
    const AgreedSettings settings{.algorithm = "", .chunk_bytes = chunk, .reproducible = true};
    run_ranks(
        place.ranks,
        [&](Communicator& comm) {
          for (const plan::Algorithm& algorithm : plan::catalogue()) {
            if (!coll::facts(algorithm.collective).reduces) continue;
            comm.force(rule_for(algorithm));
            for (const Case& c : cases(comm.size())) check_case(comm, algorithm.collective, c);
          }
          comm.force("");
          for (std::size_t i = 0; i < coll::kCollectives; ++i) {
            const auto collective = static_cast<Collective>(i);
            if (!coll::facts(collective).reduces) continue;
            for (const Case& c : cases(comm.size())) check_case(comm, collective, c);
          }
        },
        place.hosts, settings);
  }
}

INSTANTIATE_TEST_SUITE_P(Places, Reproducible, testing::Range(std::size_t{0}, kPlacesTried));

// The bits of an allreduce on one rank.
Bytes bits_of(const std::string& algorithm, const Hosts& hosts, bool reproducible) {
  constexpr std::size_t kCount = 1009;
  Bytes result(kCount * sizeof(double));
  run_ranks(6,
            [&](Communicator& comm) {
              Bytes data = make_rounding_input(XYLEM_DOUBLE, static_cast<int>(comm.rank()), kCount, 1);
              ASSERT_EQ(comm.run({Collective::allreduce, data.data(), data.data(), kCount, XYLEM_DOUBLE, XYLEM_SUM}),
                        XYLEM_SUCCESS);
              if (comm.rank() == 0) result = data;
            },
            hosts, {.algorithm = "allreduce:" + algorithm, .chunk_bytes = 512, .reproducible = reproducible});
  return result;
}

// What the mode is for: without it, bits do depend on the algorithm and on the hosts.
TEST(NotReproducible, SumsHaveOtherBitsByOtherAlgorithmsAndOnOtherHosts) {
  const Bytes canonical = sum_along_tree(XYLEM_DOUBLE, 0, 6, 1009, 1);
  EXPECT_EQ(bits_of("recursive_doubling", {}, false), canonical);
  EXPECT_NE(bits_of("ring", {}, false), canonical);
  EXPECT_EQ(bits_of("ring", {}, true), canonical);
  const Hosts interleaved = {0, 1, 2, 0, 1, 2};
  EXPECT_NE(bits_of("recursive_doubling", interleaved, false), canonical);
  EXPECT_EQ(bits_of("recursive_doubling", interleaved, true), canonical);
}

// Whole numbers do not round: any algorithm will do.
TEST(Reproducible, WholeNumbersAreSummedByAnyAlgorithm) {
  const plan::Shape shape{.ranks = 8, .ranks_per_host = 8, .slot_bytes = 65536, .board_bytes = 65536, .reproducible = true};
  const plan::Planner planner(shape, "allreduce:ring", 0);
  const auto name = [&](bool rounds) {
    return std::string(plan::catalogue()[planner.choose(Collective::allreduce, 1 << 20, 4, rounds).algorithm].name);
  };
  EXPECT_EQ(name(false), "ring");
  EXPECT_NE(name(true), "ring");
}

}  // namespace
}  // namespace xylem::test

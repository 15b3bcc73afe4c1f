// Every algorithm × places, with counts, types, ops, roots and in place sampled, ranks as threads. Results are exact.
#include <gtest/gtest.h>

#include <atomic>

#include "case_sample.hpp"

namespace xylem::test {
namespace {

using coll::Collective;

std::string rule_for(const plan::Algorithm& algorithm) {
  return std::string(coll::collective_name(algorithm.collective)) + ":" + algorithm.name;
}

// What one algorithm is tried with.
struct Turn {
  std::size_t algorithm;
  Cases cases;
};

// All on one communicator, in turn: to connect hosts takes far longer than a case.
void run_turns(const Place& place, const std::vector<Turn>& turns) {
  const std::size_t loan_bytes = place.ranks % 2 == 0 ? 1 : 1000;  // all blocks are lent, or some
  run_ranks(place.ranks,
            [&](Communicator& comm) {
              for (const Turn& turn : turns) {
                const plan::Algorithm& algorithm = plan::catalogue()[turn.algorithm];
                SCOPED_TRACE(rule_for(algorithm));
                comm.force(rule_for(algorithm));
                for (const Case& c : turn.cases) check_case(comm, algorithm.collective, c);
              }
            },
            place.hosts, {.algorithm = "", .chunk_bytes = place.chunk_bytes, .timeout_seconds = 0, .loan_bytes = loan_bytes});
}

// The index of a place.
class EveryAlgorithm : public testing::TestWithParam<std::size_t> {};
TEST_P(EveryAlgorithm, GivesExactResults) {
  const std::size_t place = GetParam();
  std::vector<Turn> turns;
  for (std::size_t algorithm = 0; algorithm < plan::catalogue().size(); ++algorithm) {
    if (share_of(algorithm, place) == Share::other_hosts || !runs_on(algorithm, place)) continue;
    turns.push_back({algorithm, sampled_cases(algorithm, place)});
    EXPECT_FALSE(turns.back().cases.empty());
  }
  run_turns(places()[place], turns);
}

class EveryCase : public testing::TestWithParam<std::size_t> {};
TEST_P(EveryCase, GivesExactResults) {
  const std::size_t place = GetParam();
  std::vector<Turn> turns;
  for (std::size_t algorithm = 0; algorithm < plan::catalogue().size(); ++algorithm) {
    if (runs_on(algorithm, place)) turns.push_back({algorithm, all_cases(algorithm, place)});
  }
  run_turns(places()[place], turns);
}

std::string name_of_place(const testing::TestParamInfo<std::size_t>& param) { return places()[param.param].name; }

// The provider between hosts is XYLEM_PROVIDER's.
INSTANTIATE_TEST_SUITE_P(Ranks, EveryAlgorithm, testing::Range(std::size_t{0}, places().size() - kHostPlaces), name_of_place);
INSTANTIATE_TEST_SUITE_P(Hosts, EveryAlgorithm, testing::Range(places().size() - kHostPlaces, places().size()),
                         name_of_place);
INSTANTIATE_TEST_SUITE_P(Long, EveryCase, testing::Range(std::size_t{0}, places().size()), name_of_place);

// Far more ranks than cores. The sanitizers' share is the places above.
#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
class ManyRanks : public testing::TestWithParam<std::size_t> {};
TEST_P(ManyRanks, GiveExactResults) {
  const std::size_t ranks = GetParam();
  const auto on_one_host = static_cast<std::uint32_t>(ranks);
  const int last = static_cast<int>(ranks) - 1;
  std::vector<Turn> turns;
  for (std::size_t algorithm = 0; algorithm < plan::catalogue().size(); ++algorithm) {
    if (coll::obstacle(plan::catalogue()[algorithm].traits, on_one_host, 1, on_one_host) != nullptr) continue;
    turns.push_back(
        {algorithm, {{1, XYLEM_DOUBLE, XYLEM_SUM, 0, false, 1}, {3 * ranks + 5, XYLEM_INT32, XYLEM_MAX, last, true, 2}}});
  }
  run_turns({"", static_cast<int>(ranks), {}, 256}, turns);
}

INSTANTIATE_TEST_SUITE_P(Ranks, ManyRanks, testing::Values(64), testing::PrintToStringParamName());
INSTANTIATE_TEST_SUITE_P(Long, ManyRanks, testing::Values(16, 33, 63), testing::PrintToStringParamName());
#endif

// More than 100 MiB (under sanitizers 13), in full-sized chunks and an odd rest.
TEST(LargeMessages, AreExactInEveryElement) {
  constexpr std::size_t kCount = (std::size_t{kSanitized ? 13 : 104} << 20) / 4 + 1237;
  const auto value = [](std::size_t i, std::uint32_t rank) {
    return static_cast<std::uint32_t>(i * 2654435761U + rank * 40503U);
  };
  for (const char* algorithm : {"ring", "double_binary_tree", "two_phase"}) {
    run_ranks(2,
              [&](Communicator& comm) {
                std::vector<std::uint32_t> data(kCount);
                for (std::size_t i = 0; i < kCount; ++i) data[i] = value(i, comm.rank());
                ASSERT_EQ(comm.run({Collective::allreduce, data.data(), data.data(), kCount, XYLEM_UINT32, XYLEM_SUM}),
                          XYLEM_SUCCESS);
                std::size_t wrong = 0;
                for (std::size_t i = 0; i < kCount; ++i) wrong += data[i] != value(i, 0) + value(i, 1);
                EXPECT_EQ(wrong, 0U) << algorithm;
              },
              {}, {.algorithm = std::string("allreduce:") + algorithm, .chunk_bytes = 0, .timeout_seconds = 0});
  }
}

// Calls in a row with other collectives, algorithms, roots and sizes, and no barrier between them: a fast rank runs ahead
// into the next call while a slow one is still in the last.
TEST(Sequences, OfDifferingCallsKeepApart) {
  constexpr int kRounds = kSanitized ? 3 : 20;
  for (const int ranks : {2, 3, 5, 8}) {
    if (kSanitized && ranks == 8) continue;
    run_ranks(ranks,
              [&](Communicator& comm) {
                int salt = 0;
                for (int round = 0; round < kRounds; ++round) {
                  for (const plan::Algorithm& algorithm : plan::catalogue()) {
                    const Collective collective = algorithm.collective;
                    ++salt;
                    const std::size_t count = static_cast<std::size_t>(salt * salt) % 3001;
                    check_case(comm, collective, {count, XYLEM_DOUBLE, XYLEM_SUM, salt % ranks, salt % 2 == 0, salt});
                  }
                }
              },
              {}, {.algorithm = "", .chunk_bytes = 512, .timeout_seconds = 0});
  }
}

TEST(Barrier, HoldsEveryRankUntilAllHaveCome) {
  for (const int ranks : {2, 3, 8}) {
    std::atomic<int> arrived{0};
    run_ranks(ranks, [&](Communicator& comm) {
      for (int round = 1; round <= 200; ++round) {
        arrived.fetch_add(1);
        ASSERT_EQ(comm.run({.collective = Collective::barrier}), XYLEM_SUCCESS);
        EXPECT_GE(arrived.load(), round * ranks);
      }
    });
  }
}

// Sums of random doubles depend on the order of addition: all ranks must have used one order, twice the same.
TEST(Reductions, GiveTheSameBitsOnAllRanksAndAgain) {
  constexpr std::size_t kCount = 5003;
  for (const plan::Algorithm& algorithm : plan::catalogue()) {
    if (algorithm.collective != Collective::allreduce) continue;
    for (const int ranks : {2, 3, 5, 7}) {
      std::vector<std::vector<double>> results(static_cast<std::size_t>(ranks) * 2);
      run_ranks(ranks,
                [&](Communicator& comm) {
                  std::vector<double> input(kCount);
                  std::uint64_t state = 88172645463325252ULL + comm.rank();
                  for (double& value : input) {
                    state ^= state << 13U;
                    state ^= state >> 7U;
                    state ^= state << 17U;
                    value = static_cast<double>(static_cast<std::int64_t>(state)) * 0x1p-40;
                  }
                  for (const std::size_t again : {0U, 1U}) {
                    std::vector<double>& result = results[comm.rank() * 2 + again];
                    result.resize(kCount);
                    ASSERT_EQ(comm.run({Collective::allreduce, input.data(), result.data(), kCount, XYLEM_DOUBLE, XYLEM_SUM}),
                              XYLEM_SUCCESS);
                  }
                },
                {}, {.algorithm = rule_for(algorithm), .chunk_bytes = 1024, .timeout_seconds = 0});
      for (const std::vector<double>& result : results) {
        EXPECT_EQ(std::memcmp(result.data(), results[0].data(), kCount * sizeof(double)), 0)
            << algorithm.name << " with " << ranks << " ranks";
      }
    }
  }
}

}  // namespace
}  // namespace xylem::test

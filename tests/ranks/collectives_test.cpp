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

void run_cases(std::size_t index, const Place& place, const Cases& cases) {
  const plan::Algorithm& algorithm = plan::catalogue()[index];
  run_ranks(place.ranks,
            [&](Communicator& comm) {
              for (const Case& c : cases) check_case(comm, algorithm.collective, c);
            },
            place.hosts, {.algorithm = rule_for(algorithm), .chunk_bytes = place.chunk_bytes, .timeout_seconds = 0});
}

// The indices of an algorithm and a place.
using Pair = std::tuple<std::size_t, std::size_t>;

class EveryAlgorithm : public testing::TestWithParam<Pair> {};
TEST_P(EveryAlgorithm, GivesExactResults) {
  const auto [algorithm, place] = GetParam();
  run_cases(algorithm, places()[place], sampled_cases(algorithm, place));
}

class EveryCase : public testing::TestWithParam<Pair> {};
TEST_P(EveryCase, GivesExactResults) {
  const auto [algorithm, place] = GetParam();
  run_cases(algorithm, places()[place], all_cases(algorithm, place));
}

std::vector<Pair> pairs_of(std::initializer_list<Share> shares) {
  std::vector<Pair> pairs;
  for (std::size_t algorithm = 0; algorithm < plan::catalogue().size(); ++algorithm) {
    for (std::size_t place = 0; place < places().size(); ++place) {
      const bool wanted = std::find(shares.begin(), shares.end(), share_of(algorithm, place)) != shares.end();
      if (wanted && runs_on(algorithm, place)) pairs.emplace_back(algorithm, place);
    }
  }
  return pairs;
}

std::string name_of(std::size_t index) {
  const plan::Algorithm& algorithm = plan::catalogue()[index];
  return std::string(coll::collective_name(algorithm.collective)) + "_" + algorithm.name + "_";
}

std::string name_of_pair(const testing::TestParamInfo<Pair>& param) {
  return name_of(std::get<0>(param.param)) + places()[std::get<1>(param.param)].name;
}

// The provider between hosts is XYLEM_PROVIDER's.
INSTANTIATE_TEST_SUITE_P(Ranks, EveryAlgorithm, testing::ValuesIn(pairs_of({Share::one_host})), name_of_pair);
INSTANTIATE_TEST_SUITE_P(Hosts, EveryAlgorithm, testing::ValuesIn(pairs_of({Share::sampled_hosts})), name_of_pair);
INSTANTIATE_TEST_SUITE_P(Long, EveryCase,
                         testing::ValuesIn(pairs_of({Share::one_host, Share::sampled_hosts, Share::other_hosts})),
                         name_of_pair);

// Far more ranks than cores. The sanitizers' share is the places above.
#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
class ManyRanks : public testing::TestWithParam<Pair> {};
TEST_P(ManyRanks, GiveExactResults) {
  const auto [algorithm, ranks] = GetParam();
  const int last = static_cast<int>(ranks) - 1;
  const Cases cases = {{1, XYLEM_DOUBLE, XYLEM_SUM, 0, false, 1}, {3 * ranks + 5, XYLEM_INT32, XYLEM_MAX, last, true, 2}};
  run_cases(algorithm, {"", static_cast<int>(ranks), {}, 256}, cases);
}

std::vector<Pair> algorithms_with_ranks(std::initializer_list<std::size_t> all_ranks) {
  std::vector<Pair> pairs;
  for (std::size_t algorithm = 0; algorithm < plan::catalogue().size(); ++algorithm) {
    for (const std::size_t ranks : all_ranks) {
      const auto on_one_host = static_cast<std::uint32_t>(ranks);
      if (coll::obstacle(plan::catalogue()[algorithm].traits, on_one_host, 1, on_one_host) == nullptr) {
        pairs.emplace_back(algorithm, ranks);
      }
    }
  }
  return pairs;
}

std::string name_with_ranks(const testing::TestParamInfo<Pair>& param) {
  return name_of(std::get<0>(param.param)) + std::to_string(std::get<1>(param.param));
}

INSTANTIATE_TEST_SUITE_P(Ranks, ManyRanks, testing::ValuesIn(algorithms_with_ranks({64})), name_with_ranks);
INSTANTIATE_TEST_SUITE_P(Long, ManyRanks, testing::ValuesIn(algorithms_with_ranks({16, 33, 63})), name_with_ranks);
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

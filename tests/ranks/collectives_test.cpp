// Every algorithm × ranks × counts × types × ops × roots × in place, ranks as threads. Results are exact.
#include <gtest/gtest.h>

#include <atomic>
#include <map>

#include "collective_case.hpp"
#include "plan/catalogue.hpp"
#include "rank_threads.hpp"

namespace xylem::test {
namespace {

using coll::Collective;

// Counts around every boundary of a chunk, spread over types, ops and roots: each value of each parameter meets each value of
// the others somewhere in the product of short cycles.
std::vector<Case> cases_for(Collective collective, int ranks, std::size_t chunk_bytes) {
  std::vector<Case> cases;
  const std::size_t chunk = chunk_bytes / 4;
  const std::size_t many = static_cast<std::size_t>(ranks);
  std::vector<std::size_t> counts = {0,         1,     2,         many - 1,         many + 1,     17,
                                     chunk - 1, chunk, chunk + 1, chunk * many + 3, chunk * 9 + 5};
  int step = 0;
  for (int type = 0; type < XYLEM_TYPE_COUNT; ++type) {
    for (int op = 0; op < XYLEM_OP_COUNT; ++op) {
      const bool reduces = coll::facts(collective).reduces;
      if (reduces && exec::find_reduce(static_cast<xylem_op>(op), static_cast<xylem_type>(type)) == nullptr) continue;
      if (!reduces && op > 0) continue;
      for (int variant = 0; variant < (reduces ? 1 : 4); ++variant, ++step) {
        cases.push_back({counts[static_cast<std::size_t>(step) % counts.size()], static_cast<xylem_type>(type),
                         static_cast<xylem_op>(op), (step * 5 + type) % ranks, step % 3 == 1, step});
      }
    }
  }
  // Every count, rooted everywhere, at one type.
  for (const std::size_t count : counts) {
    for (int root = 0; root < ranks; ++root, ++step) {
      cases.push_back({count, XYLEM_INT32, XYLEM_SUM, root, step % 2 == 0, step});
    }
  }
  return cases;
}

std::string rule_for(const plan::Algorithm& algorithm) {
  return std::string(coll::collective_name(algorithm.collective)) + ":" + algorithm.name;
}

class EveryAlgorithm : public testing::TestWithParam<std::tuple<std::size_t, int>> {};

TEST_P(EveryAlgorithm, GivesExactResults) {
  const auto [index, ranks] = GetParam();
  const plan::Algorithm& algorithm = plan::catalogue()[index];
  constexpr std::size_t kChunk = 256;
  const std::vector<Case> cases = cases_for(algorithm.collective, ranks, kChunk);
  run_ranks(ranks,
            [&](Communicator& comm) {
              for (const Case& c : cases) check_case(comm, algorithm.collective, c);
            },
            {}, {.algorithm = rule_for(algorithm), .chunk_bytes = kChunk, .timeout_seconds = 0});
}

std::vector<std::size_t> all_algorithms() {
  std::vector<std::size_t> all(plan::catalogue().size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  return all;
}

INSTANTIATE_TEST_SUITE_P(Ranks, EveryAlgorithm, testing::Combine(testing::ValuesIn(all_algorithms()), testing::Range(1, 10)),
                         [](const testing::TestParamInfo<std::tuple<std::size_t, int>>& param) {
                           const plan::Algorithm& algorithm = plan::catalogue()[std::get<0>(param.param)];
                           return std::string(coll::collective_name(algorithm.collective)) + "_" + algorithm.name + "_" +
                                  std::to_string(std::get<1>(param.param)) + "_ranks";
                         });

// The same with the ranks on made-up hosts, so that some channels cross libfabric. The provider is XYLEM_PROVIDER's.
struct Map {
  const char* name;
  Hosts hosts;
};
const std::vector<Map>& maps() {
  static const std::vector<Map> all = {
      {"each_alone", {0, 1}},           {"two_and_one", {0, 0, 1}},        {"interleaved", {0, 1, 0, 1}},
      {"three_hosts", {0, 1, 2, 1, 0}}, {"uneven", {0, 0, 0, 1, 1, 2, 2}},
  };
  return all;
}

class AcrossHosts : public testing::TestWithParam<std::tuple<std::size_t, std::size_t>> {};

TEST_P(AcrossHosts, GivesExactResults) {
  const auto [index, map] = GetParam();
  const plan::Algorithm& algorithm = plan::catalogue()[index];
  const Hosts& hosts = maps()[map].hosts;
  constexpr std::size_t kChunk = 1024;
  const std::vector<Case> cases = cases_for(algorithm.collective, static_cast<int>(hosts.size()), kChunk);
  run_ranks(static_cast<int>(hosts.size()),
            [&](Communicator& comm) {
              for (std::size_t i = 0; i < cases.size(); i += 3) check_case(comm, algorithm.collective, cases[i]);
            },
            hosts, {.algorithm = rule_for(algorithm), .chunk_bytes = kChunk, .timeout_seconds = 0});
}

// Pairs of an algorithm and a map. Two maps of each algorithm, in turn, are for every run; the others for the long ones.
std::vector<std::tuple<std::size_t, std::size_t>> algorithms_on_maps(bool sampled) {
  std::vector<std::tuple<std::size_t, std::size_t>> pairs;
  std::size_t turn = 0;
  for (const std::size_t algorithm : all_algorithms()) {
    if (plan::catalogue()[algorithm].traits.one_host_only) continue;
    for (std::size_t map = 0; map < maps().size(); ++map) {
      const bool in_sample = (map + maps().size() - turn % maps().size()) % maps().size() < 2;
      if (in_sample == sampled) pairs.emplace_back(algorithm, map);
    }
    turn += 2;
  }
  return pairs;
}

std::string name_of_pair(const testing::TestParamInfo<std::tuple<std::size_t, std::size_t>>& param) {
  const plan::Algorithm& algorithm = plan::catalogue()[std::get<0>(param.param)];
  return std::string(coll::collective_name(algorithm.collective)) + "_" + algorithm.name + "_" +
         maps()[std::get<1>(param.param)].name;
}

INSTANTIATE_TEST_SUITE_P(Maps, AcrossHosts, testing::ValuesIn(algorithms_on_maps(true)), name_of_pair);
INSTANTIATE_TEST_SUITE_P(OtherMaps, AcrossHosts, testing::ValuesIn(algorithms_on_maps(false)), name_of_pair);

// More than 100 MiB, in hundreds of full-sized chunks and an odd rest.
TEST(LargeMessages, AreExactInEveryElement) {
  constexpr std::size_t kCount = (std::size_t{104} << 20) / 4 + 1237;
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
  for (const int ranks : {2, 3, 5, 8}) {
    run_ranks(ranks,
              [&](Communicator& comm) {
                int salt = 0;
                for (int round = 0; round < 20; ++round) {
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

// The kernels of src/cuda/kernels/, compiled for the CPU, in plain memory: blocks are threads. Results are exact.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "collective_case.hpp"
#include "kernel_world.hpp"

namespace xylem::test {
namespace {

using coll::Collective;

// Runs the cases in a row, each rank on a thread.
void run_cases(const WorldShape& shape, Collective collective, const std::string& algorithm, const std::vector<Case>& cases) {
  KernelWorld world(shape);
  std::vector<std::thread> ranks;
  for (std::uint32_t rank = 0; rank < world.size(); ++rank) {
    ranks.emplace_back([&, rank] {
      KernelRank here(world, rank, algorithm);
      for (const Case& c : cases) check_case(here, collective, c);
    });
  }
  for (std::thread& rank : ranks) rank.join();
}

std::vector<std::uint32_t> a_gpu_each(std::uint32_t ranks) {
  std::vector<std::uint32_t> gpus(ranks);
  for (std::uint32_t rank = 0; rank < ranks; ++rank) gpus[rank] = rank;
  return gpus;
}

// Types that a device reduces, and with what.
std::vector<std::pair<xylem_type, xylem_op>> device_reductions() {
  std::vector<std::pair<xylem_type, xylem_op>> pairs;
  for (int type = 0; type < XYLEM_TYPE_COUNT; ++type) {
    for (int op = 0; op < XYLEM_OP_COUNT; ++op) {
      const auto t = static_cast<xylem_type>(type);
      const bool wide = t == XYLEM_LONG_DOUBLE || t == XYLEM_COMPLEX_LONG_DOUBLE || t == XYLEM_LONG_DOUBLE_INT;
      if (!wide && exec::find_reduce(static_cast<xylem_op>(op), t) != nullptr)
        pairs.emplace_back(t, static_cast<xylem_op>(op));
    }
  }
  return pairs;
}

// Sanitizers make a block's threads, which meet after every verb, some ten times slower, and what they look at is in the
// verbs: there every third algorithm stands for its kind, and a row has each count once.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::size_t kEvery = 3, kRow = 9;
#else
constexpr std::size_t kEvery = 1, kRow = 36;
#endif

// A row of calls, counts from none to several chunks per lane. Rows take turns in operations and types: arithmetic_test.cpp
// has them all.
std::vector<Case> row_of_cases(const coll::CollectiveFacts& facts, std::uint32_t ranks, bool in_place_allowed) {
  static const auto reductions = device_reductions();
  constexpr std::size_t kCounts[] = {1, 0, 7, 37, 130, 517, 2, 300, 1031};
  std::vector<Case> cases;
  for (std::size_t i = 0; i < (facts.reduces ? kRow : std::min<std::size_t>(kRow, 18)); ++i) {
    const auto [type, op] = reductions[(i * 11 + ranks * 5) % reductions.size()];
    cases.push_back({kCounts[i % std::size(kCounts)], type, op, static_cast<int>(i * 3 % ranks),
                     in_place_allowed && i % 4 == 1, static_cast<int>(i)});
  }
  return cases;
}

class EveryKernel : public testing::TestWithParam<std::size_t> {};

TEST_P(EveryKernel, GivesExactResultsOnAnyNumberOfRanksAndBlocks) {
  const plan::Algorithm& algorithm = plan::catalogue()[GetParam()];
  const coll::CollectiveFacts& facts = coll::facts(algorithm.collective);
  constexpr std::uint32_t kRanks[] = {2, 3, 5, 4};
  constexpr std::uint32_t kLanes[] = {1, 3, 2, 4};
  for (std::size_t i = 0; i < std::size(kRanks); ++i) {
    if (coll::obstacle(algorithm.traits, kRanks[i], 1, kRanks[i]) != nullptr) continue;
    // Uneven reduce_scatters are in place only with one lane (coll/args.hpp).
    const bool in_place = !(facts.uneven && facts.reduces) || kLanes[i] == 1;
    run_cases({.gpu_of = a_gpu_each(kRanks[i]), .lanes = kLanes[i], .chunk_bytes = i % 2 == 0 ? 256U : 1024U},
              algorithm.collective, algorithm.name, row_of_cases(facts, kRanks[i], in_place));
  }
}

class KernelOfFlaggedWords : public testing::TestWithParam<std::size_t> {};

TEST_P(KernelOfFlaggedWords, GivesExactResults) {
  const plan::Algorithm& algorithm = plan::catalogue()[GetParam()];
  const coll::CollectiveFacts& facts = coll::facts(algorithm.collective);
  for (const std::uint32_t ranks : {2U, 5U, 4U}) {
    if (coll::obstacle(algorithm.traits, ranks, 1, ranks) != nullptr) continue;
    run_cases({.gpu_of = a_gpu_each(ranks), .lanes = 2, .chunk_bytes = ranks == 4 ? 1024U : 256U, .words = true},
              algorithm.collective, algorithm.name, row_of_cases(facts, ranks, !(facts.uneven && facts.reduces)));
  }
}

// Flags come again after 2^32 messages: what then lies where a message is too short to write must not be taken for a later
// one.
TEST(Kernels, FlagsOfLongAgoAreNotTakenForNewOnes) {
  for (const std::uint64_t turn : {std::uint64_t{1} << 31, std::uint64_t{1} << 32}) {
    for (std::uint64_t before = 1; before < 7; ++before) {
      run_cases({.gpu_of = {0, 1, 2}, .words = true, .first_position = turn - before}, Collective::allreduce, "ring",
                {{1, XYLEM_INT32, XYLEM_SUM, 0, false, 1},
                 {190, XYLEM_INT32, XYLEM_SUM, 0, false, 2},
                 {5, XYLEM_UINT8, XYLEM_SUM, 0, false, 3},
                 {190, XYLEM_INT32, XYLEM_SUM, 0, false, 4}});
    }
  }
  EXPECT_TRUE(cuda::fills_slot((std::uint64_t{1} << 31) - 1) && cuda::fills_slot((std::uint64_t{1} << 32) + 2));
  EXPECT_FALSE(cuda::fills_slot(0 + exec::kSlots) || cuda::fills_slot((std::uint64_t{1} << 31) + 3));
}

// However a call is cut into blocks of a kernel.
TEST(Kernels, SumAlongTheCanonicalTreeOnAnyNumberOfBlocks) {
  for (const plan::Algorithm& algorithm : plan::catalogue()) {
    if (algorithm.traits.sums != coll::SumOrder::canonical) continue;
    SCOPED_TRACE(std::string(coll::collective_name(algorithm.collective)) + " " + algorithm.name);
    for (const std::uint32_t lanes : {1U, 2U, 4U}) {
      run_cases({.gpu_of = a_gpu_each(6), .lanes = lanes}, algorithm.collective, algorithm.name,
                {{1031, XYLEM_DOUBLE, XYLEM_SUM, 4, false, 1, true}, {300, XYLEM_FLOAT, XYLEM_SUM, 1, false, 2, true}});
    }
  }
}

class BetweenHosts : public testing::TestWithParam<std::size_t> {};

TEST_P(BetweenHosts, ResultsAreExact) {
  const plan::Algorithm& algorithm = plan::catalogue()[GetParam()];
  const coll::CollectiveFacts& facts = coll::facts(algorithm.collective);
  const bool even = coll::obstacle(algorithm.traits, 5, 3, 2) != nullptr;
  const std::vector<std::uint64_t> hosts =
      even ? std::vector<std::uint64_t>{0, 1, 0, 1} : std::vector<std::uint64_t>{0, 1, 0, 1, 2};
  const auto ranks = static_cast<std::uint32_t>(hosts.size());
  run_cases({.gpu_of = a_gpu_each(ranks), .host_of = hosts, .lanes = 2}, algorithm.collective, algorithm.name,
            row_of_cases(facts, ranks, !(facts.uneven && facts.reduces)));
}

std::vector<std::size_t> algorithms(bool between_hosts) {
  std::vector<std::size_t> found;
  for (std::size_t i = between_hosts ? kEvery / 2 : 0; i < plan::catalogue().size(); i += kEvery) {
    if (!between_hosts || !plan::catalogue()[i].traits.one_host_only) found.push_back(i);
  }
  return found;
}

std::string algorithm_name(const testing::TestParamInfo<std::size_t>& param) {
  const plan::Algorithm& algorithm = plan::catalogue()[param.param];
  return std::string(coll::collective_name(algorithm.collective)).append("_").append(algorithm.name);
}

INSTANTIATE_TEST_SUITE_P(Kernels, EveryKernel, testing::ValuesIn(algorithms(false)), algorithm_name);
// Boards have none.
std::vector<std::size_t> algorithms_with_words() {
  std::vector<std::size_t> found = algorithms(false);
  std::erase_if(found, [](std::size_t i) { return plan::catalogue()[i].traits.board; });
  return found;
}

INSTANTIATE_TEST_SUITE_P(Kernels, KernelOfFlaggedWords, testing::ValuesIn(algorithms_with_words()), algorithm_name);
INSTANTIATE_TEST_SUITE_P(Kernels, BetweenHosts, testing::ValuesIn(algorithms(true)), algorithm_name);

// Ranks that share GPUs: one kernel for each GPU does the work of its ranks.
class SharedGpus : public testing::TestWithParam<std::vector<std::uint32_t>> {};

TEST_P(SharedGpus, VectorsAreFoldedAndSpread) {
  const std::vector<std::uint32_t>& gpus = GetParam();
  for (const plan::Algorithm& algorithm : plan::catalogue()) {
    const coll::CollectiveFacts& facts = coll::facts(algorithm.collective);
    const bool vectors = algorithm.collective == Collective::allreduce || algorithm.collective == Collective::reduce ||
                         algorithm.collective == Collective::bcast;
    if (!vectors || algorithm.traits.leaders) continue;
    SCOPED_TRACE(algorithm.name);
    run_cases({.gpu_of = gpus, .lanes = 2}, algorithm.collective, algorithm.name,
              row_of_cases(facts, static_cast<std::uint32_t>(gpus.size()), true));
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, SharedGpus,
                         testing::Values(std::vector<std::uint32_t>{0, 1, 0, 1}, std::vector<std::uint32_t>{0, 0, 1},
                                         std::vector<std::uint32_t>{0, 1, 1, 1, 2}));

constexpr Collective kDirect[] = {
    Collective::allreduce, Collective::reduce,  Collective::bcast,    Collective::allgather, Collective::reduce_scatter_block,
    Collective::gather,    Collective::scatter, Collective::alltoall, Collective::scan,      Collective::exscan};

TEST(DirectKernels, ServeRanksOfOneGpu) {
  for (const Collective collective : kDirect) {
    for (const std::uint32_t ranks : {2U, 3U, 7U}) {
      for (const std::uint32_t lanes : {1U, 4U}) {
        SCOPED_TRACE(coll::collective_name(collective));
        run_cases({.gpu_of = std::vector<std::uint32_t>(ranks, 0), .lanes = lanes}, collective, "direct",
                  row_of_cases(coll::facts(collective), ranks, true));
      }
    }
  }
}

// More than a piece of the fold, and several chunks ahead of every FIFO.
TEST(DirectKernels, LongVectors) {
  const std::vector<Case> cases = {{100003, XYLEM_FLOAT, XYLEM_SUM, 1, false, 3},
                                   {100003, XYLEM_FLOAT, XYLEM_SUM, 1, true, 4}};
  for (const Collective collective : {Collective::allreduce, Collective::reduce_scatter_block, Collective::allgather}) {
    run_cases({.gpu_of = {0, 0, 0}, .lanes = 2}, collective, "direct", cases);
  }
  run_cases({.gpu_of = {0, 1, 0}, .lanes = 2, .chunk_bytes = 4096}, Collective::allreduce, "ring", cases);
}

TEST(Kernels, AbortEndsEveryWait) {
  for (const plan::Algorithm& algorithm : plan::catalogue()) {
    if (coll::obstacle(algorithm.traits, 3, 1, 3) != nullptr) continue;
    SCOPED_TRACE(cuda::kernel_name(algorithm.collective, algorithm.name));
    const bool words = !algorithm.traits.board;
    KernelWorld world({.gpu_of = {0, 1, 2}, .lanes = 2, .words = words});
    // Rank 2 never comes; the others wait until somebody gives up.
    std::vector<xylem_status> status(2, XYLEM_SUCCESS);
    std::vector<std::thread> ranks;
    std::vector<std::byte> data(3 * 4096);
    for (std::uint32_t rank = 0; rank < 2; ++rank) {
      ranks.emplace_back([&, rank] {
        KernelRank here(world, rank, algorithm.name);
        Call call{.collective = algorithm.collective, .type = XYLEM_BYTE, .op = XYLEM_BAND};
        std::vector<std::byte> input(3 * 4096), output(3 * 4096);
        const std::vector<std::size_t> counts(3, 512), offsets = {0, 512, 1024};
        call.input = input.data();
        call.output = output.data();
        call.count = 512;
        call.root = 2;
        const coll::CollectiveFacts& facts = coll::facts(algorithm.collective);
        if (facts.uneven && facts.input == coll::Buffer::blocks) call.sent = {counts.data(), offsets.data()};
        if (facts.uneven && facts.output == coll::Buffer::blocks) call.received = {counts.data(), offsets.data()};
        status[rank] = here.run(call);
      });
    }
    std::thread third([&] {
      world.arrived().arrive_and_wait();
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      exec::store_release(world.abort_word(), static_cast<std::uint32_t>(exec::Fault::aborted));
    });
    for (std::thread& rank : ranks) rank.join();
    third.join();
    // Where data flows towards the one that is missing, senders may have been done before.
    const bool scans = algorithm.collective == Collective::scan || algorithm.collective == Collective::exscan;
    const bool nobody_waits = scans || coll::only_root_receives(algorithm.collective);
    if (!nobody_waits) {
      EXPECT_TRUE(status[0] != XYLEM_SUCCESS || status[1] != XYLEM_SUCCESS);
    }
  }
}

void differing_calls(bool words) {
  KernelWorld world({.gpu_of = {0, 1}, .lanes = 2, .words = words});
  std::vector<std::uint32_t> faults(2);
  std::vector<std::thread> ranks;
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    ranks.emplace_back([&, rank] {
      KernelRank here(world, rank, "ring");
      std::vector<float> data(1000, 1.0F);
      Call call{.collective = Collective::allreduce,
                .input = data.data(),
                .output = data.data(),
                .count = 1000,
                .type = XYLEM_FLOAT};
      call.op = rank == 0 ? XYLEM_SUM : XYLEM_PROD;
      here.run(call);
      for (const cuda::KernelReport& report : here.reports()) faults[rank] = std::max(faults[rank], report.fault);
    });
  }
  for (std::thread& rank : ranks) rank.join();
  EXPECT_EQ(*std::max_element(faults.begin(), faults.end()), static_cast<std::uint32_t>(exec::Fault::mismatch));
  EXPECT_NE(world.abort_word(), 0U);
}

TEST(Kernels, DifferingCallsAreReported) {
  differing_calls(false);
  differing_calls(true);
}

TEST(Kernels, AreAllThere) {
  for (const plan::Algorithm& algorithm : plan::catalogue()) {
    EXPECT_NE(find_kernel(cuda::kernel_name(algorithm.collective, algorithm.name)), nullptr) << algorithm.name;
  }
  for (const Collective collective : kDirect) {
    EXPECT_NE(find_kernel(cuda::kernel_name(collective, "direct")), nullptr);
  }
  EXPECT_EQ(find_kernel("xylem_allreduce_none"), nullptr);
}

}  // namespace
}  // namespace xylem::test

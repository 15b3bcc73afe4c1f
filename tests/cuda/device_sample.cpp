// Every algorithm of every collective with all that it may meet on GPUs: 1 to 8 ranks on 1 to 4 GPUs and one host or two
// made-up ones, memory of every kind, blocking, in a stream or nonblocking, several types. Every pair of values of two of
// these meets. Results are exact.
//
//   device_sample threads|processes [EVERY]     every EVERYth case of the sample
#include <cuda_runtime_api.h>

#include <string>

#include "case_sample.hpp"
#include "comm/user_bootstrap.hpp"
#include "device_rank.hpp"
#include "support/rank_group.hpp"

namespace xylem::test {
namespace {

// What a rank has for a mixture of kinds: its input and its output.
struct Kinds {
  BufferKind input, output;
};
constexpr std::size_t kMixtures = 4;
Kinds kinds_of(std::size_t mixture, std::uint32_t rank) {
  switch (mixture) {
    case 0:
      return {BufferKind::device, BufferKind::device};
    case 1:
      return {BufferKind::pool, BufferKind::pool};
    case 2:
      return {BufferKind::host, BufferKind::device};
    default:
      return {static_cast<BufferKind>(rank % kBufferKinds), static_cast<BufferKind>((rank + 2) % kBufferKinds)};
  }
}

constexpr std::pair<xylem_type, xylem_op> kTypesAndOps[] = {{XYLEM_INT32, XYLEM_SUM},
                                                            {XYLEM_LONG_DOUBLE, XYLEM_MAX},
                                                            {XYLEM_BFLOAT16, XYLEM_SUM},
                                                            {XYLEM_FLOAT8_E4M3, XYLEM_SUM},
                                                            {XYLEM_FLOAT8_E5M2, XYLEM_MIN}};
constexpr std::size_t kElements[] = {1, 1023, 40'009};

struct Sampled {
  const plan::Algorithm& algorithm;
  int ranks, devices, hosts;
  std::size_t mixture;
  Form form;
  Case call;

  std::string describe() const {
    return std::string(coll::collective_name(algorithm.collective)) + " by " + algorithm.name + ", " + std::to_string(ranks) +
           " ranks, " + std::to_string(devices) + " GPUs, " + std::to_string(hosts) + " hosts, mixture " +
           std::to_string(mixture) + ", form " + std::to_string(static_cast<int>(form)) + ", count " +
           std::to_string(call.count) + ", " + exec::type_name(call.type) + " " + exec::op_name(call.op);
  }
};

bool run(const Sampled& sampled, bool processes) {
  AgreedSettings settings;
  settings.algorithm = std::string(coll::collective_name(sampled.algorithm.collective)) + ":" + sampled.algorithm.name;
  RankGroup group(sampled.ranks);
  const bool good = group.run(processes, [&](int rank, const xylem_bootstrap& bootstrap) {
    check(cudaSetDevice(rank % sampled.devices), "cudaSetDevice");
    check(cudaFree(nullptr), "cudaFree");  // makes the context
    Communicator communicator(std::make_shared<UserBootstrap>(bootstrap), place_on(rank * sampled.hosts / sampled.ranks),
                              settings);
    DeviceRank device_rank(communicator);
    const Kinds kinds = kinds_of(sampled.mixture, communicator.rank());
    device_rank.use(kinds.input, kinds.output, sampled.form);
    for (int turn = 0; turn < 2; ++turn) check_case(device_rank, sampled.algorithm.collective, sampled.call);
    return ::testing::UnitTest::GetInstance()->ad_hoc_test_result().Failed() ? 1 : 0;
  });
  if (!good) std::fprintf(stderr, "wrong: %s\n", sampled.describe().c_str());
  return good;
}

}  // namespace
}  // namespace xylem::test

int main(int argc, char** argv) {
  using namespace xylem;
  using namespace xylem::test;
  if (argc < 2) return std::fprintf(stderr, "usage: see device_sample.cpp\n"), 2;
  ::testing::InitGoogleTest();
  stay_on_loopback();
  const bool processes = std::string(argv[1]) == "processes";
  const std::size_t every = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  const auto all = plan::catalogue();
  // One place in four has two hosts: connecting these takes long.
  const std::array<std::size_t, 8> sizes = {
      all.size(), 8, 4, 4, kMixtures, kForms, std::size(kElements), std::size(kTypesAndOps)};
  const auto sample = sample_pairwise<8>(
      sizes, [](const auto& c) { return c[3] != 3 || c[1] != 0; }, 5);
  bool good = true;
  for (std::size_t i = 0; i < sample.cases.size(); i += every) {
    const auto& c = sample.cases[i];
    const auto [type, op] = kTypesAndOps[c[7]];
    const int ranks = static_cast<int>(c[1]) + 1;
    const bool in_place = i % 5 == 0 && !coll::facts(all[c[0]].collective).uneven;
    good = run({all[c[0]],
                ranks,
                static_cast<int>(c[2]) + 1,
                c[3] == 3 ? 2 : 1,
                c[4],
                static_cast<Form>(c[5]),
                {kElements[c[6]], type, op, static_cast<int>(i) % ranks, in_place, static_cast<int>(i)}},
               processes) &&
           good;
  }
  if (good) std::printf("device_sample: good: %s\n", sample.summary().c_str());
  return good ? 0 : 1;
}

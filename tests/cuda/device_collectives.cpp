// Every collective on device buffers, in every form that a rank may choose for itself: in place or not, blocking, in a
// stream, or nonblocking. Results are exact. One process or several, one GPU or several, one host or several made-up ones.
//
//   device_collectives threads|processes|apart RANKS HOSTS [reproducible] [COLLECTIVE...]
//
// With "reproducible" sums round, and their bits are those of the canonical tree.
//
// The named collectives must run as kernels, every call of them, or, between hosts, the large ones; the others may be staged.
// "apart": threads, each of which goes as if it had a GPU of its own, though they share one: so channels between GPUs are
// tried on a single GPU too.
#include <cuda_runtime_api.h>

#include <set>
#include <string>

#include "base/settings.hpp"
#include "collective_case.hpp"
#include "comm/statistics.hpp"
#include "comm/user_bootstrap.hpp"
#include "cuda/ipc.hpp"
#include "device_rank.hpp"
#include "rank_threads.hpp"
#include "support/rank_group.hpp"

namespace xylem::test {
namespace {

// Calls of this process that ran as kernels.
std::size_t on_device_so_far() {
  const std::string text = statistics_json(), key = "\"calls\": ";
  return std::stoul(text.substr(text.find(key, text.find("\"device\"")) + key.size()));
}

std::vector<Case> cases_of(coll::Collective collective, std::uint32_t ranks) {
  constexpr std::pair<xylem_type, xylem_op> kReductions[] = {{XYLEM_INT32, XYLEM_SUM},
                                                             {XYLEM_DOUBLE, XYLEM_SUM},
                                                             {XYLEM_FLOAT16, XYLEM_MAX},
                                                             {XYLEM_UINT8, XYLEM_BXOR},
                                                             {XYLEM_INT_INT, XYLEM_MINLOC}};
  constexpr std::size_t kCounts[] = {1, 13, 2049, 50'001, 7, 300};
  const bool rounds = settings().reproducible && coll::facts(collective).reduces;
  const bool uneven_sum = coll::facts(collective).uneven && coll::facts(collective).reduces;
  std::vector<Case> cases;
  for (std::size_t i = 0; i < 12; ++i) {
    const auto [type, op] = kReductions[rounds ? 1 : i % std::size(kReductions)];
    cases.push_back({kCounts[i % std::size(kCounts)], type, op, static_cast<int>((i + 1) % ranks), !uneven_sum && i % 4 == 1,
                     static_cast<int>(i), rounds});
  }
  return cases;
}

// `counts`: the statistics, which are the process's, are of this rank.
int run_all(Communicator& communicator, const std::set<std::string>& on_device, bool counts, bool one_host) {
  DeviceRank rank(communicator);
  int failures = 0;
  for (std::size_t i = 0; i < coll::kCollectives; ++i) {
    const auto collective = static_cast<coll::Collective>(i);
    if (collective == coll::Collective::barrier) continue;
    const std::size_t before = on_device_so_far();
    const std::vector<Case> cases = cases_of(collective, communicator.size());
    for (std::size_t c = 0; c < cases.size(); ++c) {
      // Each rank goes its own way, but for nonblocking calls: between hosts, these take another one.
      const Form form = c % 4 == 3 ? Form::nonblocking : (c + rank.rank()) % 3 != 0 ? Form::in_stream : Form::blocking;
      rank.use(BufferKind::device, BufferKind::device, form);
      check_case(rank, collective, cases[c]);
    }
    const char* const name = coll::collective_name(collective);
    const std::size_t kernels = on_device_so_far() - before;
    if (counts && on_device.count(name) != 0 && (one_host ? kernels != cases.size() : kernels == 0)) {
      std::fprintf(stderr, "rank %u: kernels ran %zu of %zu calls of %s\n", rank.rank(), kernels, cases.size(), name);
      ++failures;
    }
  }
  return failures + (::testing::UnitTest::GetInstance()->ad_hoc_test_result().Failed() ? 1 : 0);
}

// Of all ranks, where all are in this process and on one host.
std::size_t kernels_wanted(const std::set<std::string>& on_device, int ranks) {
  std::size_t calls = 0;
  for (const std::string& name : on_device) {
    for (std::size_t i = 0; i < coll::kCollectives; ++i) {
      const auto collective = static_cast<coll::Collective>(i);
      if (name == coll::collective_name(collective)) calls += cases_of(collective, static_cast<std::uint32_t>(ranks)).size();
    }
  }
  return calls * static_cast<std::size_t>(ranks);
}

}  // namespace
}  // namespace xylem::test

int main(int argc, char** argv) {
  using namespace xylem;
  using namespace xylem::test;
  if (argc < 4) return std::fprintf(stderr, "usage: see device_collectives.cpp\n"), 2;
  ::testing::InitGoogleTest();
  const std::string mode = argv[1];
  const bool processes = mode == "processes";
  const int size = std::atoi(argv[2]), hosts = std::atoi(argv[3]);
  std::set<std::string> on_device(argv + 4, argv + argc);
  if (on_device.erase("reproducible") != 0) setenv("XYLEM_REPRODUCIBLE", "1", 1);
  stay_on_loopback();
  if (mode == "apart") cuda::detail::tell_apart();
  RankGroup group(size);
  bool good = group.run(processes, [&](int rank, const xylem_bootstrap& bootstrap) {
    int devices = 0;
    check(cudaGetDeviceCount(&devices), "cudaGetDeviceCount");
    check(cudaSetDevice(rank % devices), "cudaSetDevice");
    check(cudaFree(nullptr), "cudaFree");  // makes the context
    Communicator communicator(std::make_shared<UserBootstrap>(bootstrap), place_on(rank * hosts / size));
    return run_all(communicator, on_device, processes, hosts == 1);
  });
  if (const std::size_t wanted = processes ? 0 : kernels_wanted(on_device, size), ran = processes ? 0 : on_device_so_far();
      ran < wanted) {
    std::fprintf(stderr, "kernels ran %zu calls, and not %zu\n", ran, wanted);
    good = false;
  }
  if (good) std::printf("device_collectives: good with %d %s\n", size, argv[1]);
  return good ? 0 : 1;
}

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
#include "check.hpp"
#include "collective_case.hpp"
#include "comm/staging.hpp"
#include "comm/statistics.hpp"
#include "comm/user_bootstrap.hpp"
#include "cuda/ipc.hpp"
#include "rank_group.hpp"
#include "rank_threads.hpp"

namespace xylem::test {
namespace {

// A range of host memory that has its place on the device for a while.
class OnDevice {
 public:
  OnDevice(const void* host, std::size_t bytes) : host_(const_cast<void*>(host)), bytes_(bytes) {
    if (bytes_ == 0) return;
    check(cudaMalloc(&memory_, bytes_ + kOffset), "cudaMalloc");
    check(cudaMemcpy(data(), host, bytes_, cudaMemcpyHostToDevice), "cudaMemcpy");
  }
  ~OnDevice() { cudaFree(memory_); }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

  std::byte* data() const { return memory_ == nullptr ? nullptr : static_cast<std::byte*>(memory_) + kOffset; }
  void bring_back() const {
    if (bytes_ != 0) check(cudaMemcpy(host_, data(), bytes_, cudaMemcpyDeviceToHost), "cudaMemcpy");
  }

 private:
  static constexpr std::size_t kOffset = 192;  // it does not begin its allocation
  void* host_;
  std::size_t bytes_;
  void* memory_ = nullptr;
};

// Takes calls on host buffers and makes them on device buffers.
class DeviceRank {
 public:
  explicit DeviceRank(Communicator& communicator) : communicator_(communicator) {
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate");
  }
  ~DeviceRank() { cudaStreamDestroy(stream_); }
  DeviceRank(const DeviceRank&) = delete;
  DeviceRank& operator=(const DeviceRank&) = delete;

  std::uint32_t rank() const { return communicator_.rank(); }
  std::uint32_t size() const { return communicator_.size(); }
  const std::string& error() const { return communicator_.error(); }

  xylem_status run(const Call& call) {
    const BufferBytes bytes = buffer_bytes(call, rank(), size());
    const auto* const input = static_cast<const std::byte*>(call.input);
    auto* const output = static_cast<std::byte*>(call.output);
    const bool in_place =
        bytes.input != 0 && bytes.output != 0 && input < output + bytes.output && output < input + bytes.input;
    const std::byte* const begin = in_place ? std::min<const std::byte*>(input, output) : input;
    const std::byte* const end = in_place ? std::max<const std::byte*>(input + bytes.input, output + bytes.output) : input;
    const OnDevice first(begin, in_place ? static_cast<std::size_t>(end - begin) : bytes.input);
    const OnDevice second(output, in_place ? 0 : bytes.output);
    Call made = call;
    made.input = first.data() + (bytes.input != 0 ? input - begin : 0);
    made.output = in_place ? first.data() + (output - begin) : second.data();
    if (call.collective == coll::Collective::bcast)
      made.input = made.output = rank() == call.root ? first.data() : second.data();
    // Each rank goes its own way.
    if ((++calls_ + rank()) % 3 != 0) made.stream = stream_;
    const xylem_status status = calls_ % 4 == 0 ? start_and_wait(made) : communicator_.run(made);
    if (made.stream == stream_) check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
    first.bring_back();
    second.bring_back();
    return status;
  }

 private:
  xylem_status start_and_wait(const Call& call) {
    Request request(communicator_, call);
    if (const xylem_status status = communicator_.start(request); status != XYLEM_SUCCESS) return status;
    communicator_.wait_for(request);
    return request.status();
  }

  Communicator& communicator_;
  cudaStream_t stream_ = nullptr;
  std::uint32_t calls_ = 0;
};

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
    for (const Case& c : cases) check_case(rank, collective, c);
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

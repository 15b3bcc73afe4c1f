// Calls of the C API in CUDA streams: no host waits for them, they keep the order of their stream, and where each rank runs a
// kernel of its own they can be captured into graphs. Results are exact.
//
//   streams order|graphs|refused|differ RANKS [apart]
//
// Each rank is a process. "apart": a thread, which goes as if it had a GPU of its own, though they share one.
#include <cuda_runtime_api.h>

#include <cstdint>
#include <string>

#include "check.hpp"
#include "cuda/ipc.hpp"
#include "gate.hpp"
#include "support/expect.hpp"
#include "support/rank_group.hpp"

namespace {

using xylem::test::check;
using xylem::test::expect;
using xylem::test::Gate;
using xylem::test::unexpected;

// Threads that capture disturb each other unless each says that it captures for itself alone.
cudaStreamCaptureMode capture_mode = cudaStreamCaptureModeGlobal;

using Values = std::vector<std::uint32_t>;

// A vector on the device, read and written in the order of a stream, beside its image in pinned host memory.
class Vector {
 public:
  explicit Vector(std::size_t count) : bytes_(count * sizeof(std::uint32_t)) {
    check(cudaMalloc(&device_, bytes_), "cudaMalloc");
    check(cudaMallocHost(&host_, bytes_), "cudaMallocHost");
  }
  ~Vector() {
    cudaFree(device_);
    cudaFreeHost(host_);
  }
  Vector(const Vector&) = delete;
  Vector& operator=(const Vector&) = delete;

  std::uint32_t* data() const { return static_cast<std::uint32_t*>(device_); }
  std::size_t count() const { return bytes_ / sizeof(std::uint32_t); }
  void write(const Values& values, cudaStream_t stream) const {
    std::memcpy(host_, values.data(), bytes_);
    check(cudaMemcpyAsync(device_, host_, bytes_, cudaMemcpyHostToDevice, stream), "cudaMemcpyAsync");
  }
  void fetch(cudaStream_t stream) const {
    check(cudaMemcpyAsync(host_, device_, bytes_, cudaMemcpyDeviceToHost, stream), "cudaMemcpyAsync");
  }
  // What was fetched, once the stream is done.
  Values values() const { return Values(image(), image() + count()); }

 private:
  const std::uint32_t* image() const { return static_cast<const std::uint32_t*>(host_); }
  std::size_t bytes_;
  void* device_ = nullptr;
  void* host_ = nullptr;
};

Values values_of(int rank, std::size_t count) {
  Values all(count);
  for (std::size_t i = 0; i < count; ++i)
    all[i] = static_cast<std::uint32_t>(rank + 1) * 1000 + static_cast<std::uint32_t>(i % 97);
  return all;
}

Values sum_of(int ranks, std::size_t count) {
  Values sum(count);
  for (int rank = 0; rank < ranks; ++rank) {
    const Values part = values_of(rank, count);
    for (std::size_t i = 0; i < count; ++i) sum[i] += part[i];
  }
  return sum;
}

// One rank.
struct Rank {
  Rank(int rank_, int size_, const xylem_bootstrap& bootstrap) : rank(rank_), size(size_) {
    check(xylem_comm_create(&comm, &bootstrap), "xylem_comm_create");
    check(cudaStreamCreateWithFlags(&stream, rank % 2 == 0 ? cudaStreamNonBlocking : cudaStreamDefault), "cudaStreamCreate");
  }
  ~Rank() { check(cudaStreamDestroy(stream), "cudaStreamDestroy"); }
  Rank(const Rank&) = delete;
  Rank& operator=(const Rank&) = delete;

  xylem_status allreduce(const Vector& from, const Vector& to, xylem_stream_t in) const {
    return xylem_allreduce(from.data(), to.data(), from.count(), XYLEM_UINT32, XYLEM_SUM, comm, in);
  }
  xylem_status bcast(const Vector& vector, int root, xylem_stream_t in) const {
    return xylem_bcast(vector.data(), vector.count(), XYLEM_UINT32, root, comm, in);
  }
  void wait() const { check(cudaStreamSynchronize(stream), "cudaStreamSynchronize"); }
  void end() {
    check(xylem_comm_destroy(comm), "xylem_comm_destroy");
    comm = nullptr;
  }

  int rank, size;
  xylem_comm_t comm = nullptr;
  cudaStream_t stream = nullptr;
};

void order(Rank& r) {
  constexpr std::size_t kCount = 70'001;
  const Vector a(kCount), b(kCount), c(kCount), gathered(kCount * static_cast<std::size_t>(r.size));
  const int last = r.size - 1;
  const auto calls = [&](xylem_stream_t stream) {
    check(r.allreduce(a, b, stream), "xylem_allreduce");
    check(r.allreduce(b, b, stream), "xylem_allreduce in place");
    check(r.bcast(c, last, stream), "xylem_bcast");
    check(xylem_reduce(a.data(), c.data(), kCount, XYLEM_UINT32, XYLEM_SUM, 0, r.comm, stream), "xylem_reduce");
    check(xylem_allgather(c.data(), gathered.data(), kCount, XYLEM_UINT32, r.comm, stream), "xylem_allgather");
  };
  // The first calls connect and open buffers, for which the driver waits.
  a.write(values_of(r.rank, kCount), r.stream);
  calls(r.stream);
  calls(XYLEM_STREAM_NONE);
  r.wait();
  for (int turn = 0; turn < 5; ++turn) {
    Gate gate;
    gate.put_in(r.stream);
    a.write(values_of(r.rank, kCount), r.stream);
    c.write(values_of(r.rank + 10, kCount), r.stream);
    calls(r.stream);  // returns, though nothing can have run
    b.fetch(r.stream);
    gathered.fetch(r.stream);
    check(cudaMemsetAsync(a.data(), 0xff, kCount * sizeof(std::uint32_t), r.stream), "cudaMemsetAsync");
    check(xylem_comm_check(r.comm), "xylem_comm_check");
    gate.open = true;
    r.wait();
    const Values once = sum_of(r.size, kCount), blocks = gathered.values(), twice = b.values();
    const Values from_last = values_of(last + 10, kCount);
    bool right = true;
    for (std::size_t i = 0; i < kCount; ++i) right = right && twice[i] == once[i] * static_cast<std::uint32_t>(r.size);
    expect(right, "an allreduce of an allreduce in a stream");
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      right = right && blocks[i] == (i < kCount ? once[i] : from_last[i % kCount]);
    }
    expect(right, "what was reduced, broadcast and gathered in a stream");
  }
  // A rank without a stream in a call of others with one; and a communicator that ends before its calls.
  a.write(values_of(r.rank, kCount), r.stream);
  if (r.rank == 0) r.wait();
  check(r.allreduce(a, b, r.rank == 0 ? XYLEM_STREAM_NONE : r.stream), "xylem_allreduce");
  check(r.allreduce(b, c, r.stream), "xylem_allreduce");
  r.end();
  c.fetch(r.stream);
  r.wait();
  const Values once = sum_of(r.size, kCount), got = c.values();
  bool right = true;
  for (std::size_t i = 0; i < kCount; ++i) right = right && got[i] == once[i] * static_cast<std::uint32_t>(r.size);
  expect(right, "the last calls of a communicator");
}

template <class Work>
cudaGraphExec_t capture(cudaStream_t stream, cudaStreamCaptureMode mode, Work work) {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  check(cudaStreamBeginCapture(stream, mode), "cudaStreamBeginCapture");
  work();
  check(cudaStreamEndCapture(stream, &graph), "cudaStreamEndCapture");
  check(cudaGraphInstantiate(&executable, graph, 0), "cudaGraphInstantiate");
  check(cudaGraphDestroy(graph), "cudaGraphDestroy");
  return executable;
}

void launch(cudaGraphExec_t graph, int times, cudaStream_t stream) {
  for (int i = 0; i < times; ++i) check(cudaGraphLaunch(graph, stream), "cudaGraphLaunch");
}

void graphs(Rank& r) {
  constexpr std::size_t kCount = 5'003;
  constexpr int kLaunches = 1000;
  const auto ranks = static_cast<std::uint32_t>(r.size);
  const Vector a(kCount), b(kCount), sent(kCount * ranks), received(kCount * ranks);
  std::vector<std::size_t> counts(ranks, kCount - 1), offsets(ranks);
  for (std::size_t i = 0; i < ranks; ++i) offsets[i] = i * kCount + 1;
  a.write(values_of(r.rank, kCount), r.stream);
  sent.write(values_of(r.rank, sent.count()), r.stream);
  r.wait();
  // The first calls of the communicator are captured. What a call reads from the host is read then.
  const cudaGraphExec_t graph = capture(r.stream, capture_mode, [&] {
    check(r.allreduce(a, a, r.stream), "xylem_allreduce in a graph");
    check(r.bcast(b, 1, r.stream), "xylem_bcast in a graph");
    check(xylem_alltoallv(sent.data(), counts.data(), offsets.data(), received.data(), counts.data(), offsets.data(),
                          XYLEM_UINT32, r.comm, r.stream),
          "xylem_alltoallv in a graph");
  });
  counts.assign(ranks, 0);
  offsets.assign(ranks, 0);
  b.write(values_of(r.rank + 5, kCount), r.stream);
  launch(graph, kLaunches, r.stream);
  // Calls outside of the graph, in the same stream, before and between its launches.
  check(r.allreduce(a, a, r.stream), "xylem_allreduce between launches");
  launch(graph, 1, r.stream);
  r.wait();
  check(r.allreduce(a, a, XYLEM_STREAM_NONE), "xylem_allreduce");
  a.fetch(r.stream);
  b.fetch(r.stream);
  received.fetch(r.stream);
  r.wait();
  check(xylem_comm_check(r.comm), "xylem_comm_check");
  Values wanted = sum_of(r.size, kCount);
  for (int i = 1; i < kLaunches + 3; ++i) {
    for (std::uint32_t& value : wanted) value *= ranks;
  }
  expect(a.values() == wanted, "an allreduce in place, launched 1000 times");
  expect(b.values() == values_of(1 + 5, kCount), "a bcast in a graph");
  bool right = true;
  const Values got = received.values();
  for (std::size_t from = 0; from < ranks; ++from) {
    const Values theirs = values_of(static_cast<int>(from), sent.count());
    for (std::size_t i = 1; i < kCount; ++i) {
      right = right && got[from * kCount + i] == theirs[static_cast<std::size_t>(r.rank) * kCount + i];
    }
  }
  expect(right, "an alltoallv in a graph");
  check(cudaGraphExecDestroy(graph), "cudaGraphExecDestroy");
  r.end();
}

void refused(Rank& r) {
  constexpr std::size_t kCount = 1'001;
  const Vector a(kCount), b(kCount);
  const auto usable = [&] {
    a.write(values_of(r.rank, kCount), r.stream);
    check(r.allreduce(a, b, r.stream), "xylem_allreduce");
    b.fetch(r.stream);
    r.wait();
    expect(b.values() == sum_of(r.size, kCount), "an allreduce after a refused one");
  };
  const auto refuses = [&](xylem_status status, const char* what) {
    expect(status == XYLEM_ERROR_UNSUPPORTED && std::string(xylem_last_error()).find("captured") != std::string::npos, what);
  };
  usable();
  // On all ranks: what else is captured stays so.
  for (const std::size_t count : {kCount, std::size_t{3}}) {
    const cudaGraphExec_t graph = capture(r.stream, capture_mode, [&] {
      check(cudaMemsetAsync(b.data(), 1, kCount * sizeof(std::uint32_t), r.stream), "cudaMemsetAsync");
      refuses(xylem_allreduce(a.data(), b.data(), count, XYLEM_UINT32, XYLEM_SUM, r.comm, r.stream), "a captured call");
      xylem_request_t request = nullptr;
      refuses(xylem_iallreduce(a.data(), b.data(), count, XYLEM_UINT32, XYLEM_SUM, r.comm, r.stream, &request),
              "a captured nonblocking call");
      // In a group the others come to their end.
      const Values own(kCount, 1);
      Values total(kCount);
      check(xylem_group_start(), "xylem_group_start");
      check(xylem_allreduce(own.data(), total.data(), kCount, XYLEM_UINT32, XYLEM_SUM, r.comm, XYLEM_STREAM_NONE),
            "a call of a group");
      check(xylem_allreduce(a.data(), b.data(), count, XYLEM_UINT32, XYLEM_SUM, r.comm, r.stream), "another call of it");
      refuses(xylem_group_end(), "a captured call of a group");
      expect(total == Values(kCount, static_cast<std::uint32_t>(r.size)), "the other call of the group");
    });
    launch(graph, 1, r.stream);
    b.fetch(r.stream);
    r.wait();
    expect(b.values() == Values(kCount, 0x01010101), "the rest of the graph");
    check(cudaGraphExecDestroy(graph), "cudaGraphExecDestroy");
    usable();
  }
  // On one rank only.
  if (r.rank == 0) {
    capture(r.stream, cudaStreamCaptureModeGlobal,
            [&] { refuses(r.allreduce(a, b, r.stream), "a call that one rank captures"); });
  } else {
    refuses(r.allreduce(a, b, r.stream), "a call that another rank captures");
  }
  usable();
  r.end();
}

// Ranks that launch graphs of different calls find out when the graphs have run.
void differ(Rank& r) {
  constexpr std::size_t kCount = 3'000;
  const Vector a(kCount), b(kCount);
  a.write(values_of(r.rank, kCount), r.stream);
  const cudaGraphExec_t sum =
      capture(r.stream, cudaStreamCaptureModeThreadLocal, [&] { check(r.allreduce(a, b, r.stream), "xylem_allreduce"); });
  const cudaGraphExec_t copy =
      capture(r.stream, cudaStreamCaptureModeThreadLocal, [&] { check(r.bcast(b, 0, r.stream), "xylem_bcast"); });
  launch(sum, 1, r.stream);
  r.wait();
  check(xylem_comm_check(r.comm), "xylem_comm_check");
  launch(r.rank == 0 ? sum : copy, 1, r.stream);
  r.wait();
  xylem_status status = XYLEM_SUCCESS;
  while (status == XYLEM_SUCCESS) status = xylem_comm_check(r.comm);
  expect(status == XYLEM_ERROR_MISMATCH || status == XYLEM_ERROR_PEER_FAILED, "xylem_comm_check after graphs that differ");
  expect(std::string(xylem_last_error()).find("rank ") != std::string::npos, "xylem_last_error names a rank");
  expect(r.allreduce(a, b, r.stream) == status, "a call after that");
  r.end();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return std::fprintf(stderr, "usage: see streams.cpp\n"), 2;
  const std::string mode = argv[1];
  const int size = std::atoi(argv[2]);
  const bool apart = argc > 3 && std::string(argv[3]) == "apart";
  if (apart) {
    xylem::cuda::detail::tell_apart();
    capture_mode = cudaStreamCaptureModeThreadLocal;
  }
  xylem::test::RankGroup group(size);
  const bool good = group.run(!apart, [&](int rank, const xylem_bootstrap& bootstrap) {
    int devices = 0;
    check(cudaGetDeviceCount(&devices), "cudaGetDeviceCount");
    check(cudaSetDevice(rank % devices), "cudaSetDevice");
    Rank r(rank, size, bootstrap);
    if (mode == "order")
      order(r);
    else if (mode == "graphs")
      graphs(r);
    else if (mode == "refused")
      refused(r);
    else if (mode == "differ")
      differ(r);
    else
      expect(false, "there is no such part of the test");
    check(cudaGetLastError(), "an error left behind");
    return unexpected.load();
  });
  if (good) std::printf("streams: good: %s with %d ranks\n", mode.c_str(), size);
  return good ? 0 : 1;
}

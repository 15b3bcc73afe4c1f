// Collectives of the C API on device buffers, with no MPI: tests with exact results, and a benchmark. Runs on a real GPU
// (scripts/gpu_check.sh) and on the emulated one.
//
//   device_ranks test  threads|processes RANKS [kernels]   "kernels": all of it must have run on the device
//   device_ranks bench threads|processes RANKS LARGEST     sizes 1 KiB ... LARGEST MiB; one JSON line for each measurement
#include <cuda_runtime_api.h>

#include <algorithm>
#include <chrono>
#include <string>

#include "check.hpp"
#include "rank_group.hpp"

namespace {

using xylem::test::check;

class DeviceBuffer {
 public:
  explicit DeviceBuffer(std::size_t count) : count_(count) {
    check(cudaMalloc(&memory_, count * sizeof(float)), "cudaMalloc");
  }
  ~DeviceBuffer() { cudaFree(memory_); }
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;

  float* data() const { return static_cast<float*>(memory_); }
  void write(const std::vector<float>& values) const {
    check(cudaMemcpy(memory_, values.data(), count_ * sizeof(float), cudaMemcpyHostToDevice), "cudaMemcpy");
  }
  std::vector<float> read() const {
    std::vector<float> values(count_);
    check(cudaMemcpy(values.data(), memory_, count_ * sizeof(float), cudaMemcpyDeviceToHost), "cudaMemcpy");
    return values;
  }

 private:
  std::size_t count_;
  void* memory_ = nullptr;
};

// One rank's communicator and buffers for `size` blocks of `count` elements.
struct Rank {
  int rank, size;
  std::size_t count;
  xylem_comm_t comm;
  DeviceBuffer send, recv;

  Rank(int rank_, int size_, std::size_t count_, xylem_comm_t comm_)
      : rank(rank_), size(size_), count(count_), comm(comm_), send(blocks()), recv(blocks()) {}
  std::size_t blocks() const { return count * static_cast<std::size_t>(size); }
};

struct Collective {
  const char* name;
  void (*run)(const Rank& r);
  float (*wanted)(const Rank& r, std::size_t i);  // element i of the receive buffer
  std::size_t (*received)(const Rank& r);
};

float value(int of, std::size_t i) { return static_cast<float>(of + static_cast<int>(i % 97)); }
float total(int size, std::size_t i) { return static_cast<float>(size * (size - 1) / 2 + size * static_cast<int>(i % 97)); }

const Collective collectives[] = {
    {"allreduce",
     [](const Rank& r) {
       check(xylem_allreduce(r.send.data(), r.recv.data(), r.blocks(), XYLEM_FLOAT, XYLEM_SUM, r.comm, XYLEM_STREAM_NONE),
             "xylem_allreduce");
     },
     [](const Rank& r, std::size_t i) { return total(r.size, i); }, [](const Rank& r) { return r.blocks(); }},
    {"reduce_scatter",
     [](const Rank& r) {
       check(xylem_reduce_scatter_block(r.send.data(), r.recv.data(), r.count, XYLEM_FLOAT, XYLEM_SUM, r.comm,
                                        XYLEM_STREAM_NONE),
             "xylem_reduce_scatter_block");
     },
     [](const Rank& r, std::size_t i) { return total(r.size, r.count * static_cast<std::size_t>(r.rank) + i); },
     [](const Rank& r) { return r.count; }},
    {"allgather",
     [](const Rank& r) {
       check(xylem_allgather(r.send.data(), r.recv.data(), r.count, XYLEM_FLOAT, r.comm, XYLEM_STREAM_NONE),
             "xylem_allgather");
     },
     [](const Rank& r, std::size_t i) { return value(static_cast<int>(i / r.count), i % r.count); },
     [](const Rank& r) { return r.blocks(); }},
    {"bcast",
     [](const Rank& r) {
       float* const data = r.rank == r.size - 1 ? r.send.data() : r.recv.data();
       check(xylem_bcast(data, r.blocks(), XYLEM_FLOAT, r.size - 1, r.comm, XYLEM_STREAM_NONE), "xylem_bcast");
     },
     [](const Rank& r, std::size_t i) { return value(r.size - 1, i); },
     [](const Rank& r) { return r.rank == r.size - 1 ? 0 : r.blocks(); }},
};

int test(int rank, int size, xylem_comm_t comm) {
  int failures = 0;
  for (const std::size_t count : {1UL, 3UL, 1000UL, 4097UL, 200'003UL}) {
    Rank r(rank, size, count, comm);
    std::vector<float> input(r.blocks());
    for (std::size_t i = 0; i < input.size(); ++i) input[i] = value(rank, i);
    for (const Collective& collective : collectives) {
      r.send.write(input);
      r.recv.write(std::vector<float>(r.blocks(), -1));
      collective.run(r);
      const std::vector<float> got = r.recv.read();
      for (std::size_t i = 0; i < collective.received(r); ++i) {
        if (got[i] == collective.wanted(r, i)) continue;
        std::fprintf(stderr, "rank %d: %s of blocks of %zu: element %zu is %g and not %g\n", rank, collective.name, count, i,
                     static_cast<double>(got[i]), static_cast<double>(collective.wanted(r, i)));
        ++failures;
        break;
      }
    }
  }
  return failures;
}

double seconds_now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// The median of some runs of `run`, in seconds.
template <class Run>
double median_seconds(int runs, Run run) {
  std::vector<double> times;
  for (int i = 0; i < runs + 2; ++i) {
    const double begin = seconds_now();
    run();
    if (i >= 2) times.push_back(seconds_now() - begin);
  }
  std::nth_element(times.begin(), times.begin() + runs / 2, times.end());
  return times[static_cast<std::size_t>(runs / 2)];
}

void print(const char* what, int size, double bytes, double seconds) {
  std::printf("{\"what\": \"%s\", \"ranks\": %d, \"bytes\": %.0f, \"microseconds\": %.2f, \"gigabytes_per_second\": %.3f}\n",
              what, size, bytes, seconds * 1e6, bytes / seconds * 1e-9);
}

int bench(int rank, int size, xylem_comm_t comm, std::size_t largest) {
  for (std::size_t bytes = 1024; bytes <= largest; bytes *= 4) {
    Rank r(rank, size, std::max<std::size_t>(bytes / sizeof(float) / static_cast<std::size_t>(size), 1), comm);
    const int runs = bytes < (1 << 20) ? 200 : 20;
    const double all = static_cast<double>(r.blocks() * sizeof(float));
    if (rank == 0) {
      print("device copy", 1, all, median_seconds(runs, [&] {
              check(cudaMemcpyAsync(r.recv.data(), r.send.data(), r.blocks() * sizeof(float), cudaMemcpyDeviceToDevice,
                                    nullptr),
                    "cudaMemcpyAsync");
              check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
            }));
    }
    check(xylem_barrier(comm, XYLEM_STREAM_NONE), "xylem_barrier");
    for (const Collective& collective : collectives) {
      const double seconds = median_seconds(runs, [&] { collective.run(r); });
      if (rank == 0) print(collective.name, size, all, seconds);
    }
  }
  return 0;
}

bool all_on_device() {
  std::size_t length = 0;
  std::string text(65536, '\0');
  check(xylem_statistics(text.data(), text.size(), &length), "xylem_statistics");
  const bool good =
      text.find("\"staged\": 0}") != std::string::npos && text.find("\"device\": {\"calls\": 0,") == std::string::npos;
  if (!good) std::fprintf(stderr, "not all calls ran on the device: %s\n", text.c_str());
  return good;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return std::fprintf(stderr, "usage: see device_ranks.cpp\n"), 2;
  const std::string mode = argv[1], last = argc > 4 ? argv[4] : "";
  const bool processes = std::string(argv[2]) == "processes";
  const int size = std::atoi(argv[3]);
  xylem::test::RankGroup group(size);
  const bool good = group.run(processes, [&](int rank, const xylem_bootstrap& bootstrap) {
    int devices = 0, failures = 0;
    check(cudaGetDeviceCount(&devices), "cudaGetDeviceCount");
    check(cudaSetDevice(rank % devices), "cudaSetDevice");
    check(cudaFree(nullptr), "cudaFree");  // makes the context
    xylem_comm_t comm = nullptr;
    check(xylem_comm_create(&comm, &bootstrap), "xylem_comm_create");
    if (mode == "bench") {
      failures += bench(rank, size, comm, std::strtoull(last.c_str(), nullptr, 10) << 20);
    } else {
      failures += test(rank, size, comm);
      if (last == "kernels" && !all_on_device()) ++failures;
    }
    check(xylem_barrier(comm, XYLEM_STREAM_NONE), "xylem_barrier");
    check(xylem_comm_destroy(comm), "xylem_comm_destroy");
    return failures;
  });
  if (good && mode == "test") std::printf("device_ranks: good with %d %s\n", size, argv[2]);
  return good ? 0 : 1;
}

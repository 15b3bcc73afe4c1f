// What collectives on device buffers take, beside a copy on the device and an empty kernel. scripts/gpu_check.sh runs it.
//
//   device_bench devices                             one line for each GPU: its name, architecture, MiB of memory
//   device_bench limits LARGEST                      an empty kernel, and a copy on the device
//   device_bench threads|processes RANKS LARGEST     collectives
//
// Sizes go from 1 KiB to LARGEST MiB, as far as memory allows. One JSON object a line for each measurement: the median time
// of a call at rank 0, and bytes per second. `bytes` are those of the whole vector, or of all blocks together;
// `memory_gigabytes_per_second` counts what the ranks must read and write at least: so it compares with a copy, which reads
// and writes each byte once.
#include <cuda.h>
#include <dlfcn.h>

#include <algorithm>
#include <chrono>

#include "float_collectives.hpp"

namespace {

using namespace xylem::test;

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

int runs_for(std::size_t bytes) { return bytes < (1 << 20) ? 200 : 20; }

void print(const char* what, int size, double bytes, double traffic, double seconds) {
  std::printf(
      "{\"what\": \"%s\", \"ranks\": %d, \"bytes\": %.0f, \"microseconds\": %.2f, \"gigabytes_per_second\": %.3f, "
      "\"memory_gigabytes_per_second\": %.3f}\n",
      what, size, bytes, seconds * 1e6, bytes / seconds * 1e-9, traffic / seconds * 1e-9);
}

// The sizes of which `size` ranks have room for two buffers each on one GPU.
template <class Body>
void for_each_size(std::size_t largest, int size, Body body) {
  std::size_t free_bytes = 0, all = 0;
  check(cudaMemGetInfo(&free_bytes, &all), "cudaMemGetInfo");
  for (std::size_t bytes = 1024; bytes <= largest; bytes *= 4) {
    if (bytes * 2 * static_cast<std::size_t>(size) > all / 10 * 9) {
      std::fprintf(stderr, "device_bench: %d ranks have no room for two buffers of %zu bytes each\n", size, bytes);
      return;
    }
    body(bytes);
  }
}

void list_devices() {
  int devices = 0;
  check(cudaGetDeviceCount(&devices), "cudaGetDeviceCount");
  for (int device = 0; device < devices; ++device) {
    cudaDeviceProp about{};
    check(cudaGetDeviceProperties(&about, device), "cudaGetDeviceProperties");
    std::printf("%s, sm_%d%d, %zu MiB\n", about.name, about.major, about.minor, about.totalGlobalMem >> 20);
  }
}

void copies(std::size_t largest) {
  for_each_size(largest, 1, [](std::size_t bytes) {
    const DeviceBuffer from(bytes / sizeof(float)), to(bytes / sizeof(float));
    const double seconds = median_seconds(runs_for(bytes), [&] {
      check(cudaMemcpyAsync(to.data(), from.data(), bytes, cudaMemcpyDeviceToDevice, nullptr), "cudaMemcpyAsync");
      check(cudaStreamSynchronize(nullptr), "cudaStreamSynchronize");
    });
    print("device copy", 1, static_cast<double>(bytes), 2 * static_cast<double>(bytes), seconds);
  });
}

// By the driver, for this program is compiled by no CUDA compiler. False: it does not take the kernel, as the emulated one.
bool empty_kernel() {
  constexpr const char* kText = ".version 6.3\n.target sm_75\n.address_size 64\n.visible .entry empty() { ret; }\n";
  void* const library = dlopen("libcuda.so.1", RTLD_NOW);
  if (library == nullptr) return false;
  const auto load = reinterpret_cast<decltype(&cuModuleLoadData)>(dlsym(library, "cuModuleLoadData"));
  const auto find = reinterpret_cast<decltype(&cuModuleGetFunction)>(dlsym(library, "cuModuleGetFunction"));
  const auto launch = reinterpret_cast<decltype(&cuLaunchKernel)>(dlsym(library, "cuLaunchKernel"));
  CUmodule module = nullptr;
  CUfunction empty = nullptr;
  if (load == nullptr || find == nullptr || launch == nullptr || load(&module, kText) != CUDA_SUCCESS ||
      find(&empty, module, "empty") != CUDA_SUCCESS) {
    return false;
  }
  const double seconds = median_seconds(200, [&] {
    if (launch(empty, 1, 1, 1, 32, 1, 1, 0, nullptr, nullptr, nullptr) != CUDA_SUCCESS) std::_Exit(1);
    check(cudaStreamSynchronize(nullptr), "cudaStreamSynchronize");
  });
  print("empty kernel", 1, 0, 0, seconds);
  return true;
}

int bench(int rank, int size, xylem_comm_t comm, std::size_t largest) {
  for_each_size(largest, size, [&](std::size_t bytes) {
    const Rank r(rank, size, std::max<std::size_t>(bytes / sizeof(float) / static_cast<std::size_t>(size), 1), comm);
    for (const FloatCollective& collective : float_collectives) {
      check(xylem_barrier(comm, XYLEM_STREAM_NONE), "xylem_barrier");
      const double seconds = median_seconds(runs_for(bytes), [&] { collective.run(r); });
      const auto all = static_cast<double>(r.bytes());
      if (rank == 0) print(collective.name, size, all, collective.least_traffic(size) * all, seconds);
    }
  });
  check_all_on_device();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  if (mode == "devices") return list_devices(), 0;
  if (argc < 3) return std::fprintf(stderr, "usage: see device_bench.cpp\n"), 2;
  const std::size_t largest = std::strtoull(argv[argc - 1], nullptr, 10) << 20;
  if (mode == "limits") {
    check(cudaFree(nullptr), "cudaFree");  // makes the context
    if (!empty_kernel()) std::fprintf(stderr, "device_bench: the driver takes no empty kernel: its time is not measured\n");
    copies(largest);
    return 0;
  }
  const int size = std::atoi(argv[2]);
  return run_on_devices(mode == "processes", size,
                        [&](int rank, xylem_comm_t comm) { return bench(rank, size, comm, largest); })
             ? 0
             : 1;
}

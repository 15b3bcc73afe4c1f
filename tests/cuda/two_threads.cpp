// Two threads of each rank, each with communicators and device buffers of its own: what one of them makes the driver wait for
// keeps none of the other's kernels from their start. Results are exact.
//
//   two_threads RANKS     each rank is a process
#include <cuda_runtime_api.h>

#include <array>
#include <thread>

#include "float_vector.hpp"
#include "support/expect.hpp"

namespace {

using namespace xylem::test;

constexpr int kTurns = 30;

// New buffers in each turn, which have to be opened, and are freed while the other thread's kernels wait for those of other
// ranks; every third call is in a stream.
void work(const World& w, xylem_comm_t comm, int thread, int device) {
  check(cudaSetDevice(device), "cudaSetDevice");
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreate");
  for (int turn = 0; turn < kTurns; ++turn) {
    const std::size_t count = 1 + static_cast<std::size_t>(turn * (thread + 1) * 997);
    const float factor = static_cast<float>(10 * turn + thread + 1);
    const Vector from(w.own() * factor, count), to(-1, count);
    const bool in_stream = turn % 3 == 2;
    w.sum(from, to, comm, in_stream ? stream : XYLEM_STREAM_NONE);
    if (in_stream) check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
    expect(to.is(w.total() * factor), "a sum of thread " + std::to_string(thread));
  }
  check(cudaStreamDestroy(stream), "cudaStreamDestroy");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return std::fprintf(stderr, "usage: see two_threads.cpp\n"), 2;
  const int size = std::atoi(argv[1]);
  const bool good = run_on_devices(true, size, [&](int rank, xylem_comm_t comm) {
    const World w{rank, size, comm};
    int device = 0;
    check(cudaGetDevice(&device), "cudaGetDevice");
    const std::array<xylem_comm_t, 2> own = {w.duplicate(), w.duplicate()};
    std::thread first(work, w, own[0], 0, device), second(work, w, own[1], 1, device);
    first.join();
    second.join();
    for (const xylem_comm_t each : own) check(xylem_comm_destroy(each), "xylem_comm_destroy");
    check(cudaGetLastError(), "an error left behind");
    check_all_on_device();
    return unexpected.load();
  });
  if (good) std::printf("two_threads: good with %d ranks\n", size);
  return good ? 0 : 1;
}

// Programs whose contexts end before Xylem does. Results are exact.
//
//   contexts reset RANKS     resets its device between calls of a communicator
//   contexts exit RANKS      ends the communicator, and frees memory, when the driver has gone
//   contexts forget RANKS    ends with a call outstanding, and ends nothing
//
// Each rank is a process.
#include <cuda_runtime_api.h>

#include <string>
#include <vector>

#include "float_vector.hpp"
#include "support/expect.hpp"

namespace {

using namespace xylem::test;

constexpr std::size_t kCount = 20'011;

int device_of(int rank) {
  int devices = 0;
  check(cudaGetDeviceCount(&devices), "cudaGetDeviceCount");
  return rank % devices;
}

void sums_are_right(const World& w, xylem_comm_t comm) {
  const Vector from(w.own(), kCount), to(-1, kCount);
  for (int turn = 0; turn < 2; ++turn) {
    w.sum(from, to, comm, XYLEM_STREAM_NONE);
    expect(to.is(w.total()), "a sum");
    to.write(-1);
  }
}

// Memory that the program has in its new context lies, as a rule, where Xylem had some in the old one.
void reset(const World& w) {
  const xylem_comm_t other = w.duplicate();
  for (int turn = 0; turn < 3; ++turn) {
    sums_are_right(w, w.comm);
    if (turn == 0) sums_are_right(w, other);
    check(xylem_barrier(w.comm, XYLEM_STREAM_NONE), "xylem_barrier");
    if (turn < 2 || w.rank == 0) check(cudaDeviceReset(), "cudaDeviceReset");
    check(cudaSetDevice(device_of(w.rank)), "cudaSetDevice");
    check(xylem_barrier(w.comm, XYLEM_STREAM_NONE), "xylem_barrier");
    const Vector large(w.own(), std::size_t{4} << 20);
    if (turn == 0) check(xylem_comm_destroy(other), "xylem_comm_destroy");
    sums_are_right(w, w.comm);
    expect(large.is(w.own()), "memory of the program");
  }
}

struct Late {
  xylem_comm_t comm = nullptr;
  xylem_registration_t registration = nullptr;
  void* memory = nullptr;

  // After the driver's own end: it registered that later.
  ~Late() {
    if (comm == nullptr) return;
    int count = 0;
    if (cudaGetDeviceCount(&count) == cudaSuccess) std::fprintf(stderr, "the driver is still there\n"), std::_Exit(1);
    xylem_comm_deregister(comm, registration);
    xylem_mem_free(memory);
    // The others have come here too, or have ended: nobody is waited for.
    if (xylem_comm_destroy(comm) != XYLEM_SUCCESS) std::_Exit(1);
  }
};

// The last rank does not join the call, so it cannot have ended when its other ranks do. Who has started it waits for all
// before ending: a rank that ends while another is still in a call is rightly told of there.
int forget(const World& w, const xylem_bootstrap& bootstrap) {
  sums_are_right(w, w.comm);
  const Vector from(w.own(), kCount), to(-1, kCount);
  if (w.rank + 1 < w.size) w.start(from, to, w.comm, XYLEM_STREAM_NONE);
  std::vector<char> all_here(static_cast<std::size_t>(w.size));
  expect(bootstrap.allgather("", all_here.data(), 1, bootstrap.context) == 0, "the bootstrap's allgather");
  return unexpected.load();
}

int run_to_the_end(const World& w, Late& late) {
  sums_are_right(w, w.comm);
  const Vector from(w.own(), kCount), to(-1, kCount);
  late.comm = w.comm;
  check(xylem_mem_alloc(&late.memory, 1000, XYLEM_MEMORY_DEVICE), "xylem_mem_alloc");
  check(xylem_comm_register(w.comm, late.memory, 1000, &late.registration), "xylem_comm_register");
  w.sum(from, to, w.comm, XYLEM_STREAM_NONE);
  return unexpected.load();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return std::fprintf(stderr, "usage: see contexts.cpp\n"), 2;
  const std::string mode = argv[1];
  const int size = std::atoi(argv[2]);
  static Late late;
  RankGroup group(size);
  const bool good = group.run(true, [&](int rank, const xylem_bootstrap& bootstrap) {
    World w{rank, size, nullptr};
    check(cudaSetDevice(device_of(rank)), "cudaSetDevice");
    check(cudaFree(nullptr), "cudaFree");  // makes the context
    // The bootstrap is this function's own.
    check(xylem_comm_create(&w.comm, &bootstrap), "xylem_comm_create");
    if (mode == "forget") return forget(w, bootstrap);
    if (mode == "exit") return run_to_the_end(w, late);
    expect(mode == "reset", "there is such a part of the test");
    reset(w);
    check(xylem_comm_destroy(w.comm), "xylem_comm_destroy");
    check_all_on_device();
    return unexpected.load();
  });
  if (good) std::printf("contexts: good: %s with %d ranks\n", argv[1], size);
  return good ? 0 : 1;
}

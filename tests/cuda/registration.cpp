// Buffers that are registered with a communicator: calls on them need no preparation, for which the driver would wait for all
// streams. And more buffers than are kept open, and others at the addresses of such that have gone. Results are exact.
//
//   registration RANKS     each rank is a process
#include <cuda_runtime_api.h>

#include <deque>
#include <string>

#include "float_vector.hpp"
#include "gate.hpp"
#include "support/expect.hpp"

namespace {

using xylem::test::check;
using xylem::test::expect;
using xylem::test::Gate;
using xylem::test::unexpected;

constexpr std::size_t kCount = 2'001;

// Of as many elements.
struct Vector : xylem::test::Vector {
  explicit Vector(float all) : xylem::test::Vector(all, kCount) {}
};

struct World : xylem::test::World {
  void sum(const Vector& from, const Vector& to, xylem_stream_t stream) const {
    xylem::test::World::sum(from, to, comm, stream);
  }
  xylem_registration_t add(const Vector& vector) const {
    xylem_registration_t registration = nullptr;
    check(xylem_comm_register(comm, vector.data(), kCount * sizeof(float), &registration), "xylem_comm_register");
    expect(registration != nullptr, "a registration");
    return registration;
  }
  void remove(xylem_registration_t registration) const {
    check(xylem_comm_deregister(comm, registration), "xylem_comm_deregister");
  }
};

void registered(const World& w) {
  cudaStream_t stream = nullptr, other = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreate");
  check(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking), "cudaStreamCreate");
  for (int turn = 0; turn < 3; ++turn) {
    const Vector a(w.own()), b(-1);
    const xylem_registration_t first = w.add(a), second = w.add(b);
    Gate gate;
    gate.put_in(other);
    w.sum(a, b, stream);  // never seen before, and nothing waits for the other stream
    check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
    gate.open = true;
    check(cudaStreamSynchronize(other), "cudaStreamSynchronize");
    expect(b.is(w.total()), "a sum of registered buffers");
    w.remove(second);
    w.remove(first);
    w.sum(a, b, XYLEM_STREAM_NONE);
    expect(b.is(w.total()), "a sum of buffers that are registered no more");
  }
  // Some rank has none, or one in host memory.
  const Vector a(w.own()), b(-1);
  float host = 0;
  xylem_registration_t registration = nullptr;
  if (w.rank == 0) {
    check(xylem_comm_register(w.comm, nullptr, 0, &registration), "xylem_comm_register of nothing");
  } else if (w.rank == 1) {
    check(xylem_comm_register(w.comm, &host, sizeof host, &registration), "xylem_comm_register of host memory");
  } else {
    registration = w.add(a);
  }
  w.sum(a, b, XYLEM_STREAM_NONE);
  expect(b.is(w.total()), "a sum where some have registered");
  w.remove(registration);
  check(cudaStreamDestroy(stream), "cudaStreamDestroy");
  check(cudaStreamDestroy(other), "cudaStreamDestroy");
}

void many(const World& w) {
  std::deque<Vector> kept;
  const xylem_registration_t first = w.add(kept.emplace_back(w.own()));
  const Vector sum(-1);
  for (int i = 0; i < 80; ++i) w.sum(kept.emplace_back(w.own() * static_cast<float>(i)), sum, XYLEM_STREAM_NONE);
  expect(sum.is(w.total() * 79), "the sum of the last of many buffers");
  w.sum(kept[1], sum, XYLEM_STREAM_NONE);
  expect(sum.is(0), "the sum of an early one of many buffers");
  w.sum(kept[0], sum, XYLEM_STREAM_NONE);
  expect(sum.is(w.total()), "the sum of a registered one of many buffers");
  w.remove(first);
  // As a rule at the address of one that has just gone.
  for (int i = 0; i < 10; ++i) {
    const Vector again(w.own() * static_cast<float>(i + 100));
    w.sum(again, sum, XYLEM_STREAM_NONE);
    expect(sum.is(w.total() * static_cast<float>(i + 100)), "the sum of a buffer in another's place");
  }
}

void mistakes(const World& w) {
  float host = 0;
  xylem_registration_t registration = nullptr;
  expect(xylem_comm_register(nullptr, &host, 4, &registration) == XYLEM_ERROR_INVALID_ARGUMENT, "no communicator");
  expect(xylem_comm_register(w.comm, &host, 4, nullptr) == XYLEM_ERROR_INVALID_ARGUMENT, "no place for the registration");
  expect(xylem_comm_register(w.comm, nullptr, 4, &registration) == XYLEM_ERROR_INVALID_ARGUMENT, "no buffer");
  expect(xylem_comm_deregister(nullptr, nullptr) == XYLEM_ERROR_INVALID_ARGUMENT, "no communicator");
  expect(xylem_comm_deregister(w.comm, nullptr) == XYLEM_SUCCESS, "null is ignored");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return std::fprintf(stderr, "usage: see registration.cpp\n"), 2;
  const int size = std::atoi(argv[1]);
  const bool good = xylem::test::run_on_devices(true, size, [&](int rank, xylem_comm_t comm) {
    const World w{{rank, size, comm}};
    registered(w);
    many(w);
    mistakes(w);
    check(cudaGetLastError(), "an error left behind");
    xylem::test::check_all_on_device();
    return unexpected.load();
  });
  if (good) std::printf("registration: good with %d ranks\n", size);
  return good ? 0 : 1;
}

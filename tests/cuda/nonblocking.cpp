// Nonblocking and grouped calls of the C API on device buffers: they start whatever streams and other ranks do, end whatever
// the program does meanwhile, and kernels run them. Results are exact.
//
//   nonblocking start|progress|crossing|many|groups|alone RANKS     each rank is a process
#include <cuda_runtime_api.h>
#include <sched.h>

#include <deque>
#include <string>

#include "float_vector.hpp"
#include "gate.hpp"
#include "support/expect.hpp"

namespace {

using xylem::test::check;
using xylem::test::check_all_on_device;
using xylem::test::expect;
using xylem::test::Gate;
using xylem::test::unexpected;
using xylem::test::World;

constexpr std::size_t kCount = 30'011;

// Of as many elements.
struct Vector : xylem::test::Vector {
  explicit Vector(float all) : xylem::test::Vector(all, kCount) {}
};

bool tested(xylem_request_t& request) {
  int done = 0;
  check(xylem_test(&request, &done), "xylem_test");
  return done != 0;
}

// Opens buffers and connects, for which the driver may wait for all streams.
void warm_up(const World& w, xylem_comm_t comm, std::initializer_list<const Vector*> vectors) {
  for (const Vector* from : vectors) {
    for (const Vector* to : vectors) {
      if (from == to) continue;
      xylem_request_t request = w.start(*from, *to, comm, XYLEM_STREAM_NONE);
      check(xylem_wait(&request), "xylem_wait");
    }
  }
}

// What is in a stream before the start is waited for, by no thread; what comes after it is not.
void start(const World& w) {
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreate");
  const Vector a(0), b(0), c(0), own(w.own());
  warm_up(w, w.comm, {&a, &b, &c});
  for (const bool in_default : {false, true}) {
    const cudaStream_t work = in_default ? nullptr : stream;
    const xylem_stream_t given = in_default ? XYLEM_STREAM_NONE : stream;
    a.write(-1);
    b.write(-1);
    c.write(-1);
    Gate before, after;
    if (w.rank == 0) before.put_in(work);
    check(cudaMemcpyAsync(a.data(), own.data(), kCount * sizeof(float), cudaMemcpyDeviceToDevice, work), "cudaMemcpyAsync");
    xylem_request_t first = w.start(a, b, w.comm, given), second = w.start(b, c, w.comm, given);
    after.put_in(work);
    if (w.rank == 0) {
      for (int i = 0; i < 100; ++i) expect(!tested(first), "a call ends before the work that its stream had");
      before.open = true;
    }
    check(xylem_wait(&first), "xylem_wait");
    check(xylem_wait(&second), "xylem_wait");
    after.open = true;
    check(cudaStreamSynchronize(work), "cudaStreamSynchronize");
    expect(b.is(w.total()), "a sum");
    expect(c.is(w.total() * static_cast<float>(w.size)), "the sum of a sum that was started before");
  }
  check(cudaStreamDestroy(stream), "cudaStreamDestroy");
}

// Calls end while all ranks do something else.
void progress(const World& w) {
  const Vector a(w.own()), b(-1), c(-1);
  for (int turn = 0; turn < 3; ++turn) {
    b.write(-1);
    c.write(-1);
    xylem_request_t first = w.start(a, b, w.comm, XYLEM_STREAM_NONE), second = w.start(b, c, w.comm, XYLEM_STREAM_NONE);
    while (!c.is(w.total() * static_cast<float>(w.size))) sched_yield();
    expect(b.is(w.total()), "a sum that nobody waits for");
    check(xylem_wait(&second), "xylem_wait");
    check(xylem_wait(&first), "xylem_wait");
  }
}

// Two communicators, in differing order, with calls of the driver between that wait for all that runs; and one that ends
// before its calls.
void crossing(const World& w) {
  xylem_comm_t other = w.duplicate();
  const Vector a(w.own()), b(-1), c(-1);
  for (int turn = 0; turn < 10; ++turn) {
    b.write(-1);
    c.write(-1);
    const bool turned = (w.rank + turn) % 2 == 1;
    xylem_request_t first = turned ? w.start(a, c, other, XYLEM_STREAM_NONE) : w.start(a, b, w.comm, XYLEM_STREAM_NONE);
    { const Vector unused(1); }
    xylem_request_t second = turned ? w.start(a, b, w.comm, XYLEM_STREAM_NONE) : w.start(a, c, other, XYLEM_STREAM_NONE);
    { const Vector unused(2); }
    if (turn == 9) {
      check(xylem_comm_destroy(other), "xylem_comm_destroy");
    }
    check(xylem_wait(turn % 3 == 0 ? &first : &second), "xylem_wait");
    check(xylem_wait(turn % 3 == 0 ? &second : &first), "xylem_wait");
    expect(b.is(w.total()) && c.is(w.total()), "sums on two communicators");
  }
}

// More communicators than there is room for on a GPU, if their kernels all wait for other GPUs.
void many(const World& w) {
  std::vector<xylem_comm_t> comms;
  std::deque<Vector> sums;
  for (int i = 0; i < 12; ++i) {
    comms.push_back(w.duplicate());
    sums.emplace_back(-1);
  }
  const Vector a(w.own());
  for (int turn = 0; turn < 5; ++turn) {
    std::vector<xylem_request_t> requests;
    for (std::size_t i = 0; i < comms.size(); ++i) {
      const std::size_t at = w.rank % 2 == 0 ? i : comms.size() - 1 - i;
      requests.push_back(w.start(a, sums[at], comms[at], XYLEM_STREAM_NONE));
    }
    { const Vector unused(1); }
    for (xylem_request_t& request : requests) check(xylem_wait(&request), "xylem_wait");
    for (const Vector& sum : sums) {
      expect(sum.is(w.total()), "one of many sums");
      sum.write(-1);
    }
  }
  for (const xylem_comm_t comm : comms) check(xylem_comm_destroy(comm), "xylem_comm_destroy");
}

void groups(const World& w) {
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreate");
  const xylem_comm_t other = w.duplicate();
  const Vector a(w.own()), b(-1), c(-1), d(w.own()), received(-1), own(w.own());
  const auto sum = [&](const Vector& to, xylem_comm_t comm) { w.sum(a, to, comm, stream); };
  for (int turn = 0; turn < 3; ++turn) {
    b.write(-1);
    c.write(-1);
    d.write(w.own());
    received.write(-1);
    const int next = (w.rank + 1) % w.size, previous = (w.rank + w.size - 1) % w.size;
    Gate gate;
    gate.put_in(stream);
    a.write(-1);
    check(cudaMemcpyAsync(a.data(), own.data(), kCount * sizeof(float), cudaMemcpyDeviceToDevice, stream), "cudaMemcpyAsync");
    check(xylem_group_start(), "xylem_group_start");
    if (w.rank % 2 == 0) sum(b, w.comm);
    sum(c, other);
    if (w.rank % 2 == 1) sum(b, w.comm);
    check(xylem_bcast(d.data(), kCount, XYLEM_FLOAT, w.size - 1, w.comm, stream), "xylem_bcast");
    check(xylem_recv(received.data(), kCount, XYLEM_FLOAT, previous, w.comm, stream), "xylem_recv");
    check(xylem_send(a.data(), kCount, XYLEM_FLOAT, next, w.comm, stream), "xylem_send");
    gate.open = true;
    check(xylem_group_end(), "xylem_group_end");
    expect(b.is(w.total()) && c.is(w.total()), "sums on two communicators in a group");
    expect(d.is(static_cast<float>(w.size)), "a bcast in a group");
    expect(received.is(static_cast<float>(previous + 1)), "a message between device buffers, sent after the stream's work");
  }
  check(xylem_comm_destroy(other), "xylem_comm_destroy");
  check(cudaStreamDestroy(stream), "cudaStreamDestroy");
}

// A communicator of one rank copies on the device, in the stream's order, and into graphs.
void alone(const World& w) {
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreate");
  xylem_comm_t self = nullptr;
  check(xylem_comm_split(w.comm, w.rank, 0, &self), "xylem_comm_split");
  const Vector a(w.own()), b(-1), c(-1);
  const auto sum = [&](const Vector& from, const Vector& to, xylem_stream_t in) { w.sum(from, to, self, in); };
  sum(a, b, XYLEM_STREAM_NONE);
  expect(b.is(w.own()), "the sum of one");
  sum(b, b, XYLEM_STREAM_NONE);
  b.write(-1);
  Gate gate;
  gate.put_in(stream);
  sum(a, b, stream);  // returns, though nothing can have run
  sum(b, c, stream);
  xylem_request_t request = w.start(c, a, self, stream);
  expect(!tested(request), "a call ends before the work that its stream had");
  gate.open = true;
  check(xylem_wait(&request), "xylem_wait");
  expect(b.is(w.own()) && c.is(w.own()) && a.is(w.own()), "sums of one in a stream");

  b.write(-1);
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), "cudaStreamBeginCapture");
  sum(a, b, stream);
  check(cudaStreamEndCapture(stream, &graph), "cudaStreamEndCapture");
  check(cudaGraphInstantiate(&executable, graph, 0), "cudaGraphInstantiate");
  expect(b.is(-1), "a captured call has not run");
  check(cudaGraphLaunch(executable, stream), "cudaGraphLaunch");
  check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  expect(b.is(w.own()), "a captured sum of one");
  check(cudaGraphExecDestroy(executable), "cudaGraphExecDestroy");
  check(cudaGraphDestroy(graph), "cudaGraphDestroy");
  check(xylem_comm_destroy(self), "xylem_comm_destroy");
  check(cudaStreamDestroy(stream), "cudaStreamDestroy");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return std::fprintf(stderr, "usage: see nonblocking.cpp\n"), 2;
  const std::string mode = argv[1];
  const bool good = xylem::test::run_on_devices(true, std::atoi(argv[2]), [&](int rank, xylem_comm_t comm) {
    const World w{rank, std::atoi(argv[2]), comm};
    if (mode == "start")
      start(w);
    else if (mode == "progress")
      progress(w);
    else if (mode == "crossing")
      crossing(w);
    else if (mode == "many")
      many(w);
    else if (mode == "groups")
      groups(w);
    else if (mode == "alone")
      alone(w);
    else
      expect(false, "there is no such part of the test");
    check(cudaGetLastError(), "an error left behind");
    if (mode != "groups" && mode != "many") check_all_on_device();
    return unexpected.load();
  });
  if (good) std::printf("nonblocking: good: %s with %s ranks\n", argv[1], argv[2]);
  return good ? 0 : 1;
}

// MPI collectives on buffers of every kind: each rank has another kind than its neighbours, results are exact. A program as a
// user would write it; what runs the collectives is not its affair.
//
// buffers [device]   "device": all buffers in device memory
#include <cuda_runtime_api.h>
#include <mpi.h>

#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "mpi/support/persistent.hpp"
#include "support/pairwise.hpp"

namespace {

int rank = 0, size = 0, failures = 0;

void check(cudaError_t code, const char* what) {
  if (code == cudaSuccess) return;
  std::fprintf(stderr, "rank %d: %s: %s\n", rank, what, cudaGetErrorString(code));
  MPI_Abort(MPI_COMM_WORLD, 1);
}

enum class Kind { host, pinned, managed, device, kinds };
const char* const kind_names[] = {"host", "pinned", "managed", "device"};

// Memory of one kind that can be filled and read.
class Buffer {
 public:
  Buffer(Kind kind, std::size_t count) : kind_(kind), bytes_(count * sizeof(int)) {
    // A little more, so that the buffer does not begin its allocation.
    const std::size_t all = bytes_ + kOffset;
    switch (kind_) {
      case Kind::pinned:
        check(cudaMallocHost(&memory_, all), "cudaMallocHost");
        break;
      case Kind::managed:
        check(cudaMallocManaged(&memory_, all, cudaMemAttachGlobal), "cudaMallocManaged");
        break;
      case Kind::device:
        check(cudaMalloc(&memory_, all), "cudaMalloc");
        break;
      default:
        memory_ = new char[all];
    }
  }
  ~Buffer() {
    if (kind_ == Kind::pinned) {
      check(cudaFreeHost(memory_), "cudaFreeHost");
    } else if (kind_ == Kind::host) {
      delete[] static_cast<char*>(memory_);
    } else {
      check(cudaFree(memory_), "cudaFree");
    }
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  int* data() const { return reinterpret_cast<int*>(static_cast<char*>(memory_) + kOffset); }
  void write(const std::vector<int>& values) const {
    if (!values.empty()) check(cudaMemcpy(data(), values.data(), bytes_, cudaMemcpyDefault), "cudaMemcpy");
  }
  std::vector<int> read() const {
    std::vector<int> values(bytes_ / sizeof(int));
    if (!values.empty()) check(cudaMemcpy(values.data(), data(), bytes_, cudaMemcpyDefault), "cudaMemcpy");
    return values;
  }

 private:
  static constexpr std::size_t kOffset = 256;
  Kind kind_;
  std::size_t bytes_;
  void* memory_ = nullptr;
};

int value(int of, std::size_t i) { return of * 1000 + static_cast<int>(i % 991); }
int total(std::size_t i) { return size * (size - 1) / 2 * 1000 + size * static_cast<int>(i % 991); }

std::vector<int> values(int of, std::size_t count, std::size_t first = 0) {
  std::vector<int> all(count);
  for (std::size_t i = 0; i < count; ++i) all[i] = value(of, first + i);
  return all;
}
std::vector<int> totals(std::size_t count, std::size_t first = 0) {
  std::vector<int> all(count);
  for (std::size_t i = 0; i < count; ++i) all[i] = total(first + i);
  return all;
}

void user_sum(void* in, void* inout, int* count, MPI_Datatype*) {
  for (int i = 0; i < *count; ++i) static_cast<int*>(inout)[i] += static_cast<const int*>(in)[i];
}

struct Case {
  Kind send, recv;
  std::size_t count;
  bool in_place;
  int root;
};

void expect(const std::vector<int>& got, const std::vector<int>& wanted, const char* collective, const Case& c) {
  if (got == wanted) return;
  std::fprintf(stderr, "rank %d of %d: wrong result: %s of %zu from %s to %s%s\n", rank, size, collective, c.count,
               kind_names[static_cast<int>(c.send)], kind_names[static_cast<int>(c.recv)], c.in_place ? ", in place" : "");
  ++failures;
}

void allreduce(const Case& c) {
  const Buffer send(c.send, c.count), recv(c.recv, c.count);
  const int n = static_cast<int>(c.count);
  send.write(values(rank, c.count));
  if (c.in_place) recv.write(values(rank, c.count));
  MPI_Allreduce(c.in_place ? MPI_IN_PLACE : send.data(), recv.data(), n, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  expect(recv.read(), totals(c.count), "MPI_Allreduce", c);
  expect(send.read(), values(rank, c.count), "send buffer of MPI_Allreduce", c);
}

void reduce(const Case& c) {
  const Buffer send(c.send, c.count), recv(c.recv, c.count);
  send.write(values(rank, c.count));
  recv.write(values(rank, c.count));
  const void* from = c.in_place && rank == c.root ? MPI_IN_PLACE : send.data();
  MPI_Reduce(from, recv.data(), static_cast<int>(c.count), MPI_INT, MPI_SUM, c.root, MPI_COMM_WORLD);
  expect(recv.read(), rank == c.root ? totals(c.count) : values(rank, c.count), "MPI_Reduce", c);
}

void bcast(const Case& c) {
  const Buffer data(c.send, c.count);
  data.write(values(rank, c.count));
  MPI_Bcast(data.data(), static_cast<int>(c.count), MPI_INT, c.root, MPI_COMM_WORLD);
  expect(data.read(), values(c.root, c.count), "MPI_Bcast", c);
}

void allgather(const Case& c) {
  const Buffer send(c.send, c.count), recv(c.recv, c.count * static_cast<std::size_t>(size));
  std::vector<int> start(c.count * static_cast<std::size_t>(size), -1), wanted;
  const std::vector<int> own = values(rank, c.count);
  std::copy(own.begin(), own.end(), start.begin() + static_cast<std::ptrdiff_t>(c.count) * rank);
  for (int r = 0; r < size; ++r) {
    const std::vector<int> block = values(r, c.count);
    wanted.insert(wanted.end(), block.begin(), block.end());
  }
  send.write(own);
  recv.write(start);
  const int n = static_cast<int>(c.count);
  MPI_Allgather(c.in_place ? MPI_IN_PLACE : send.data(), n, MPI_INT, recv.data(), n, MPI_INT, MPI_COMM_WORLD);
  expect(recv.read(), wanted, "MPI_Allgather", c);
}

void reduce_scatter_block(const Case& c) {
  const std::size_t all = c.count * static_cast<std::size_t>(size), first = c.count * static_cast<std::size_t>(rank);
  const Buffer send(c.send, all), recv(c.recv, c.in_place ? all : c.count);
  send.write(values(rank, all));
  if (c.in_place) recv.write(values(rank, all));
  MPI_Reduce_scatter_block(c.in_place ? MPI_IN_PLACE : send.data(), recv.data(), static_cast<int>(c.count), MPI_INT, MPI_SUM,
                           MPI_COMM_WORLD);
  std::vector<int> got = recv.read();
  got.resize(c.count);
  expect(got, totals(c.count, first), "MPI_Reduce_scatter_block", c);
}

void user_operation(const Case& c) {
  MPI_Op op;
  MPI_Op_create(user_sum, 1, &op);
  const Buffer send(c.send, c.count), recv(c.recv, c.count);
  send.write(values(rank, c.count));
  if (c.in_place) recv.write(values(rank, c.count));
  MPI_Allreduce(c.in_place ? MPI_IN_PLACE : send.data(), recv.data(), static_cast<int>(c.count), MPI_INT, op, MPI_COMM_WORLD);
  expect(recv.read(), totals(c.count), "MPI_Allreduce with an operation of the program", c);
  MPI_Op_free(&op);
}

// Every second element: what lies between must stay.
void bcast_of_a_derived_type(const Case& c) {
  MPI_Datatype every_second;
  MPI_Type_vector(static_cast<int>(c.count), 1, 2, MPI_INT, &every_second);
  MPI_Type_commit(&every_second);
  const Buffer data(c.send, 2 * c.count);
  data.write(values(rank, 2 * c.count));
  MPI_Bcast(data.data(), 1, every_second, c.root, MPI_COMM_WORLD);
  std::vector<int> wanted = values(rank, 2 * c.count);
  for (std::size_t i = 0; i < wanted.size(); i += 2) wanted[i] = value(c.root, i);
  expect(data.read(), wanted, "MPI_Bcast of a vector type", c);
  MPI_Type_free(&every_second);
}

// What the MPI runs, on blocks of differing lengths at places of its own: rank r sends s + 1 elements to rank s.
void alltoallv(const Case& c) {
  std::vector<int> sent, received, from, to, wanted(static_cast<std::size_t>(size) * 8, -1);
  for (int peer = 0; peer < size; ++peer) {
    sent.push_back(peer + 1);
    from.push_back(8 * peer);
    received.push_back(rank + 1);
    to.push_back(8 * (size - 1 - peer));
    for (int i = 0; i < rank + 1; ++i) {
      wanted[static_cast<std::size_t>(to.back() + i)] = value(peer, static_cast<std::size_t>(8 * rank + i));
    }
  }
  const Buffer send(c.send, wanted.size()), recv(c.recv, wanted.size());
  send.write(values(rank, wanted.size()));
  recv.write(std::vector<int>(wanted.size(), -1));
  MPI_Alltoallv(send.data(), sent.data(), from.data(), MPI_INT, recv.data(), received.data(), to.data(), MPI_INT,
                MPI_COMM_WORLD);
  expect(recv.read(), wanted, "MPI_Alltoallv", c);
}

void gather_and_scatter(const Case& c) {
  const std::size_t all = c.count * static_cast<std::size_t>(size);
  const Buffer own(c.send, c.count), blocks(c.recv, all);
  const int n = static_cast<int>(c.count);
  own.write(values(rank, c.count));
  blocks.write(values(rank, all));
  MPI_Gather(own.data(), n, MPI_INT, blocks.data(), n, MPI_INT, c.root, MPI_COMM_WORLD);
  MPI_Scatter(blocks.data(), n, MPI_INT, own.data(), n, MPI_INT, c.root, MPI_COMM_WORLD);
  expect(own.read(), values(rank, c.count), "MPI_Gather and MPI_Scatter", c);
}

void scan(const Case& c) {
  const Buffer send(c.send, c.count), recv(c.recv, c.count);
  send.write(values(rank, c.count));
  MPI_Scan(send.data(), recv.data(), static_cast<int>(c.count), MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  std::vector<int> wanted(c.count);
  for (std::size_t i = 0; i < c.count; ++i) {
    wanted[i] = rank * (rank + 1) / 2 * 1000 + (rank + 1) * static_cast<int>(i % 991);
  }
  expect(recv.read(), wanted, "MPI_Scan", c);
}

// A persistent call whose datatypes, with gaps and without, have been freed before its start, and others made in their place.
void freed_datatypes(Kind kind) {
  constexpr int kInts = 40;
  const auto blocks = static_cast<std::size_t>(size);
  const Buffer send(kind, 2 * kInts * blocks), recv(kind, kInts * blocks);
  MPI_Datatype whole, every_second;
  MPI_Type_contiguous(kInts, MPI_INT, &whole);
  MPI_Type_vector(kInts, 1, 2, MPI_INT, &every_second);
  MPI_Type_commit(&whole);
  MPI_Type_commit(&every_second);
  std::vector<int> ones(blocks, 1), counts(blocks, kInts), from(blocks), to(blocks), wanted;
  std::vector<MPI_Datatype> sent(blocks), received(blocks, MPI_INT);
  for (int peer = 0; peer < size; ++peer) {
    const auto p = static_cast<std::size_t>(peer);
    from[p] = peer * 2 * kInts * static_cast<int>(sizeof(int));
    to[p] = peer * kInts * static_cast<int>(sizeof(int));
    sent[p] = peer < size - 1 ? every_second : whole;
    for (int i = 0; i < kInts; ++i)
      wanted.push_back(value(peer, static_cast<std::size_t>(2 * kInts * rank + (rank < size - 1 ? 2 * i : i))));
  }
  MPI_Request request;
  XYLEM_MPI_INIT(Alltoallw)
  (send.data(), ones.data(), from.data(), sent.data(), recv.data(), counts.data(), to.data(), received.data(), MPI_COMM_WORLD,
   MPI_INFO_NULL, &request);
  MPI_Type_free(&whole);
  MPI_Type_free(&every_second);
  std::array<MPI_Datatype, 4> others;
  for (MPI_Datatype& other : others) MPI_Type_contiguous(1, MPI_BYTE, &other);
  for (int turn = 0; turn < 2; ++turn) {
    send.write(values(rank, 2 * kInts * blocks));
    recv.write(std::vector<int>(wanted.size(), -1));
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect(recv.read(), wanted, "MPI_Alltoallw_init with freed datatypes", {kind, kind, kInts, false, 0});
  }
  MPI_Request_free(&request);
  for (MPI_Datatype& other : others) MPI_Type_free(&other);
}

// Another allocation at the address of one that has gone: what was known of the old one must not be used.
void free_and_allocate_again() {
  for (int turn = 0; turn < 6; ++turn) {
    allreduce({Kind::device, Kind::device, 5000 + static_cast<std::size_t>(turn % 2) * 100, false, 0});
  }
}

// Between the start of a call and its end, memory is freed, for which the driver waits for all that runs, and a message goes
// to a rank that has not started the call.
void crossing_order() {
  const std::size_t count = 20'000;
  const Buffer send(Kind::device, count), recv(Kind::device, count);
  const int partner = rank ^ 1;
  send.write(values(rank, count));
  for (int turn = 0; turn < 6; ++turn) {
    MPI_Request request;
    int token = turn;
    recv.write(std::vector<int>(count, -1));
    const bool waits = partner < size && (rank + turn) % 2 == 1, tells = partner < size && !waits;
    if (waits) MPI_Recv(&token, 1, MPI_INT, partner, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Iallreduce(send.data(), recv.data(), static_cast<int>(count), MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    { const Buffer unused(Kind::device, count); }
    if (tells) MPI_Ssend(&token, 1, MPI_INT, partner, 0, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect(recv.read(), totals(count), "MPI_Iallreduce between messages and cudaFree",
           {Kind::device, Kind::device, count, false, 0});
  }
}

void order_after_the_default_stream() {
  const std::size_t count = 300'000;
  const Buffer send(Kind::device, count), recv(Kind::device, count), source(Kind::device, count);
  source.write(values(rank, count));
  // Neither waits on the host.
  check(cudaMemsetAsync(send.data(), 0, count * sizeof(int), nullptr), "cudaMemsetAsync");
  check(cudaMemcpyAsync(send.data(), source.data(), count * sizeof(int), cudaMemcpyDeviceToDevice, nullptr),
        "cudaMemcpyAsync");
  MPI_Allreduce(send.data(), recv.data(), static_cast<int>(count), MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  expect(recv.read(), totals(count), "MPI_Allreduce after work in the default stream",
         {Kind::device, Kind::device, count, false, 0});
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int devices = 0, device = -1;
  check(cudaGetDeviceCount(&devices), "cudaGetDeviceCount");
  check(cudaSetDevice(rank % devices), "cudaSetDevice");
  const bool on_device = argc > 1 && std::strcmp(argv[1], "device") == 0;

  void (*const collectives[])(const Case&) = {
      allreduce,          reduce, bcast, allgather, reduce_scatter_block, user_operation, bcast_of_a_derived_type, alltoallv,
      gather_and_scatter, scan};
  const std::size_t counts[] = {1, 13, 2049, 70'001, 0};
  const std::size_t kinds = static_cast<std::size_t>(Kind::kinds);
  // With all buffers on devices only what kernels run, so that all of it must run there: a count of 0 needs none.
  const std::array<std::size_t, 6> sizes = {on_device ? std::size_t{5} : 10, kinds, kinds,
                                            on_device ? std::size_t{4} : 5,  2,     2};
  const auto sample = xylem::test::sample_pairwise<6>(
      sizes, [](const auto&) { return true; }, 7);
  for (const auto& c : sample.cases) {
    // The kinds differ from rank to rank.
    const auto kind = [&](std::size_t base) {
      return on_device ? Kind::device : static_cast<Kind>((base + static_cast<std::size_t>(rank)) % kinds);
    };
    collectives[c[0]]({kind(c[1]), kind(c[2]), counts[c[3]], c[4] == 1, c[5] == 0 ? 0 : size - 1});
  }
  if (!on_device) freed_datatypes(Kind::device);
  free_and_allocate_again();
  order_after_the_default_stream();
  crossing_order();

  check(cudaGetDevice(&device), "cudaGetDevice");
  check(cudaGetLastError(), "an error left behind");
  if (device != rank % devices) ++failures, std::fprintf(stderr, "rank %d: the current device has changed\n", rank);
  if (rank == 0 && failures == 0) std::printf("buffers: good: %s\n", sample.summary().c_str());
  MPI_Finalize();
  return failures != 0 ? 1 : 0;
}

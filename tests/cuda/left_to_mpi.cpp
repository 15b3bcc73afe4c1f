// Device buffers of nonblocking and persistent collectives that the MPI runs: it knows nothing of GPUs and must never be
// given one. Xylem copies them at the start of each call and at its end; what lies in gaps stays.
#include <cuda_runtime_api.h>
#include <mpi.h>

#include <string>
#include <vector>

#include "mpi/support/persistent.hpp"
#include "mpi/support/verdict.hpp"

using namespace xylem::test;

namespace {

int rank = 0, size = 0;

void check_cuda(cudaError_t code) {
  if (code != cudaSuccess) MPI_Abort(MPI_COMM_WORLD, 1);
}

class DeviceInts {
 public:
  explicit DeviceInts(const std::vector<int>& values) : count_(values.size()) {
    check_cuda(cudaMalloc(&memory_, count_ * sizeof(int)));
    write(values);
  }
  ~DeviceInts() { check_cuda(cudaFree(memory_)); }
  DeviceInts(const DeviceInts&) = delete;
  DeviceInts& operator=(const DeviceInts&) = delete;

  int* data() const { return static_cast<int*>(memory_); }
  void write(const std::vector<int>& values) const {
    check_cuda(cudaMemcpy(memory_, values.data(), count_ * sizeof(int), cudaMemcpyDefault));
  }
  std::vector<int> read() const {
    std::vector<int> values(count_);
    check_cuda(cudaMemcpy(values.data(), memory_, count_ * sizeof(int), cudaMemcpyDefault));
    return values;
  }

 private:
  std::size_t count_;
  void* memory_ = nullptr;
};

// Several calls at once, and messages of the MPI among the requests.
void nonblocking(int count, Verdict& verdict) {
  const auto n = static_cast<std::size_t>(count), ranks = static_cast<std::size_t>(size);
  const DeviceInts in(std::vector<int>(n, rank + 1)), sum(std::vector<int>(n, -1)), in_place(std::vector<int>(n, rank));
  const DeviceInts data(std::vector<int>(n, rank == size - 1 ? 42 : 0)), all(std::vector<int>(2 * n * ranks, -1));
  std::vector<int> counts(ranks, count), places(ranks);
  for (int r = 0; r < size; ++r) places[static_cast<std::size_t>(r)] = 2 * count * r;
  MPI_Request requests[6];
  int sent = rank, received = -1;
  MPI_Irecv(&received, 1, MPI_INT, (rank + 1) % size, 5, MPI_COMM_WORLD, &requests[0]);
  MPI_Iallreduce(in.data(), sum.data(), count, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[1]);
  MPI_Iallreduce(MPI_IN_PLACE, in_place.data(), count, MPI_INT, MPI_MAX, MPI_COMM_WORLD, &requests[2]);
  MPI_Ibcast(data.data(), count, MPI_INT, size - 1, MPI_COMM_WORLD, &requests[3]);
  MPI_Iallgatherv(in.data(), count, MPI_INT, all.data(), counts.data(), places.data(), MPI_INT, MPI_COMM_WORLD, &requests[4]);
  MPI_Isend(&sent, 1, MPI_INT, (rank + size - 1) % size, 5, MPI_COMM_WORLD, &requests[5]);
  for (int left = 6; left > 0; --left) {
    int index = -1;
    MPI_Waitany(6, requests, &index, MPI_STATUS_IGNORE);
  }
  std::vector<int> gathered(2 * n * ranks, -1);
  for (std::size_t r = 0; r < ranks; ++r)
    std::fill_n(gathered.begin() + static_cast<std::ptrdiff_t>(2 * n * r), n, static_cast<int>(r) + 1);
  verdict.check(sum.read() == std::vector<int>(n, size * (size + 1) / 2), [] { return "Iallreduce"; });
  verdict.check(in_place.read() == std::vector<int>(n, size - 1), [] { return "Iallreduce in place"; });
  verdict.check(data.read() == std::vector<int>(n, 42), [] { return "Ibcast"; });
  verdict.check(all.read() == gathered, [] { return "Iallgatherv, and what lies between its blocks"; });
  verdict.check(received == (rank + 1) % size, [] { return "a message among the requests"; });
}

// What lies in the buffers at each start counts.
void persistent(int count, Verdict& verdict) {
  const auto n = static_cast<std::size_t>(count);
  const DeviceInts in(std::vector<int>(n, -5)), sum(std::vector<int>(n, -5)), data(std::vector<int>(n, -5));
  MPI_Request requests[2];
  XYLEM_MPI_INIT(Allreduce)(in.data(), sum.data(), count, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
  XYLEM_MPI_INIT(Bcast)(data.data(), count, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
  for (int round = 0; round < 3; ++round) {
    in.write(std::vector<int>(n, rank + round));
    data.write(std::vector<int>(n, rank == 0 ? round : -1));
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    verdict.check(sum.read() == std::vector<int>(n, size * (size - 1) / 2 + size * round) && requests[0] != MPI_REQUEST_NULL,
                  [&] { return "Allreduce_init, round " + std::to_string(round); });
    verdict.check(data.read() == std::vector<int>(n, round), [&] { return "Bcast_init, round " + std::to_string(round); });
  }
  for (MPI_Request& request : requests) MPI_Request_free(&request);
}

void intercommunicator(int count, Verdict& verdict) {
  const auto n = static_cast<std::size_t>(count);
  MPI_Comm half, inter;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 6, &inter);
  const DeviceInts in(std::vector<int>(n, rank)), sum(std::vector<int>(n, -1));
  MPI_Request request;
  MPI_Iallreduce(in.data(), sum.data(), count, MPI_INT, MPI_SUM, inter, &request);
  // A collective that has been started goes on without its communicator.
  MPI_Comm_free(&inter);
  MPI_Comm_free(&half);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  int wanted = 0;
  for (int r = 1 - rank % 2; r < size; r += 2) wanted += r;
  verdict.check(sum.read() == std::vector<int>(n, wanted), [] { return "Iallreduce on an intercommunicator"; });
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  check_cuda(cudaSetDevice(0));
  Verdict verdict;
  for (const int count : {1, 1000, 100'000}) {
    nonblocking(count, verdict);
    persistent(count, verdict);
    intercommunicator(count, verdict);
  }
  const int code = verdict.finish("left_to_mpi");
  MPI_Finalize();
  return code;
}

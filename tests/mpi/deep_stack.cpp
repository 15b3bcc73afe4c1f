// While Xylem waits it drives the MPI below, which may run the program's own code: a user operation of a nonblocking
// reduction that is not Xylem's. That code has the caller's stack, whatever Xylem's algorithm runs on.
#include <mpi.h>

#include <string>
#include <thread>
#include <vector>

#include "support/verdict.hpp"

using namespace xylem::test;

namespace {

constexpr int kLarge = 256 << 10;  // bytes: more than a fiber of Xylem's has

void add_with_large_frame(void* in, void* inout, int* count, MPI_Datatype*) {
  volatile char frame[kLarge];
  for (int i = 0; i < kLarge; i += 512) frame[i] = 0;
  for (int i = 0; i < *count; ++i) static_cast<int*>(inout)[i] += static_cast<int*>(in)[i] + frame[0];
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  Verdict verdict;
  MPI_Op add;
  MPI_Op_create(&add_with_large_frame, 1, &add);
  const std::vector<double> ones(200'000, 1.0);
  std::vector<double> sums(ones.size());

  for (int round = 0; round < 12; ++round) {
    int one = 1, sum = 0;
    MPI_Request request;
    MPI_Iscan(&one, &sum, 1, MPI_INT, add, MPI_COMM_WORLD, &request);
    // The others wait in the next call meanwhile, and the MPI's reduction goes on there.
    if (rank == round % size) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    MPI_Allreduce(ones.data(), sums.data(), static_cast<int>(ones.size()), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    verdict.check(sum == rank + 1, [&] { return "the nonblocking sum is " + std::to_string(sum); });
    verdict.check(sums == std::vector<double>(ones.size(), size), [&] { return "a sum of round " + std::to_string(round); });
  }

  MPI_Op_free(&add);
  const int code = verdict.finish("deep_stack");
  MPI_Finalize();
  return code;
}

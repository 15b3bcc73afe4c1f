// Random doubles, whose sums depend on the order of the terms: all ranks must get the same bits, and the same call again must
// give the same bits again. Digests travel point to point.
#include <mpi.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "support/verdict.hpp"

using namespace xylem::test;

namespace {

std::uint64_t digest(const std::vector<double>& values) {
  std::uint64_t hash = 14695981039346656037u;
  for (double value : values) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    hash = (hash ^ bits) * 1099511628211u;
  }
  return hash;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  Verdict verdict;
  std::mt19937_64 random(static_cast<std::uint64_t>(rank) + 77);
  std::uniform_real_distribution<double> exponent(-30, 30);

  const std::size_t counts[] = {1, 2, 3, 5, 7, 8, 9, 64, 1000, 1023, 4099, 65536, 300001};
  for (std::size_t count : counts) {
    std::vector<double> in(count), first(count), again(count);
    for (double& value : in) value = std::ldexp(static_cast<double>(random()), static_cast<int>(exponent(random)));
    MPI_Allreduce(in.data(), first.data(), static_cast<int>(count), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    again = in;
    MPI_Allreduce(MPI_IN_PLACE, again.data(), static_cast<int>(count), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    verdict.check(std::memcmp(first.data(), again.data(), count * sizeof(double)) == 0,
                  [&] { return "count " + std::to_string(count) + ": the same call in place gave other bits"; });

    std::uint64_t mine = digest(first);
    if (rank != 0) {
      MPI_Send(&mine, 1, MPI_UINT64_T, 0, 1, MPI_COMM_WORLD);
      continue;
    }
    for (int from = 1; from < size; ++from) {
      std::uint64_t theirs = 0;
      MPI_Recv(&theirs, 1, MPI_UINT64_T, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      verdict.check(theirs == mine, [&] {
        return "count " + std::to_string(count) + ": rank " + std::to_string(from) + " has other bits than rank 0";
      });
    }
  }
  const int code = verdict.finish("same_bits");
  MPI_Finalize();
  return code;
}

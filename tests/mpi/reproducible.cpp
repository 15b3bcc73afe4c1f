// With XYLEM_REPRODUCIBLE=1, sums of random doubles have the bits of a sum along the complete binary tree over the ranks, and
// scans those of a sum from the lowest rank on. Every rank makes both for itself.
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "support/verdict.hpp"

using namespace xylem::test;

namespace {

using Values = std::vector<double>;

Values input(int rank, std::size_t count) {
  std::mt19937_64 random(static_cast<std::uint64_t>(rank) + 77);
  std::uniform_real_distribution<double> exponent(-30, 30);
  Values values(count);
  for (double& value : values) value = std::ldexp(static_cast<double>(random()), static_cast<int>(exponent(random)));
  return values;
}

Values plus(Values left, const Values& right) {
  for (std::size_t i = 0; i < left.size(); ++i) left[i] += right[i];
  return left;
}

Values along_tree(int first, int ranks, std::size_t count) {
  if (ranks == 1) return input(first, count);
  int half = 1;  // of the last level that is full
  while (4 * half <= ranks) half *= 2;
  const int lower = half + std::min(half, ranks - 2 * half);
  return plus(along_tree(first, lower, count), along_tree(first + lower, ranks - lower, count));
}

Values from_left(int ranks, std::size_t count) {
  Values sum = input(0, count);
  for (int rank = 1; rank < ranks; ++rank) sum = plus(std::move(sum), input(rank, count));
  return sum;
}

class Tester {
 public:
  explicit Tester(Verdict& verdict) : verdict_(verdict) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
  }

  // `block` elements for each rank.
  void run(int block) {
    const auto ranks = static_cast<std::size_t>(size_), first = static_cast<std::size_t>(rank_ * block);
    const int count = block * size_, root = size_ - 1;
    const Values own = input(rank_, static_cast<std::size_t>(count)), sum = along_tree(0, size_, own.size());
    Values out = own;
    MPI_Allreduce(MPI_IN_PLACE, out.data(), count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    expect("Allreduce", out, sum, 0);
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Iallreduce(own.data(), out.data(), count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect("Iallreduce", out, sum, 0);
    MPI_Reduce(own.data(), out.data(), count, MPI_DOUBLE, MPI_SUM, root, MPI_COMM_WORLD);
    if (rank_ == root) expect("Reduce", out, sum, 0);
    out.resize(static_cast<std::size_t>(block));
    MPI_Reduce_scatter_block(own.data(), out.data(), block, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    expect("Reduce_scatter_block", out, sum, first);
    const std::vector<int> counts(ranks, block);
    MPI_Reduce_scatter(own.data(), out.data(), counts.data(), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    expect("Reduce_scatter", out, sum, first);
    out.resize(own.size());
    MPI_Scan(own.data(), out.data(), count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    expect("Scan", out, from_left(rank_ + 1, own.size()), 0);
    MPI_Exscan(own.data(), out.data(), count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (rank_ != 0) expect("Exscan", out, from_left(rank_, own.size()), 0);
  }

 private:
  void expect(const char* what, const Values& got, const Values& wanted, std::size_t first) {
    verdict_.check(std::memcmp(got.data(), wanted.data() + first, got.size() * sizeof(double)) == 0, [&] {
      return std::string(what) + " of " + std::to_string(got.size()) + ": rank " + std::to_string(rank_) + " has other bits";
    });
  }

  Verdict& verdict_;
  int rank_ = 0, size_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  Verdict verdict;
  Tester tester(verdict);
  for (const int block : {1, 3, 64, 1000, 30'011}) tester.run(block);
  const int code = verdict.finish("reproducible");
  MPI_Finalize();
  return code;
}

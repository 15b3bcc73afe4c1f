// Blocks that lie further apart than 2^32 bytes, by displacements that an int holds: offsets are in the size of addresses.
#include <mpi.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "support/verdict.hpp"

using namespace xylem::test;

namespace {

constexpr int length = 1000;
constexpr std::size_t step = 600'000'000;  // in elements

Verdict verdict;
int rank = 0, size = 0;

// Address space of which the blocks are used only.
class FarBlocks {
 public:
  FarBlocks() {
    void* const mapped = mmap(nullptr, bytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED) std::abort();
    data_ = static_cast<int*>(mapped);
  }
  ~FarBlocks() { munmap(data_, bytes()); }
  FarBlocks(const FarBlocks&) = delete;
  FarBlocks& operator=(const FarBlocks&) = delete;

  int* data() const { return data_; }
  int* block(int i) const { return data_ + step * static_cast<std::size_t>(i); }

  // Element j of block i is value(i) + j.
  template <class Value>
  void fill(Value value) const {
    for (int i = 0; i < size; ++i)
      for (int j = 0; j < length; ++j) block(i)[j] = value(i) + j;
  }
  template <class Value>
  void check(const char* name, Value value) const {
    for (int i = 0; i < size; ++i)
      for (int j = 0; j < length; ++j)
        verdict.check(block(i)[j] == value(i) + j,
                      [&] { return std::string(name) + ": element " + std::to_string(j) + " of " + std::to_string(i); });
    for (int i = 0; i < size; ++i) std::fill_n(block(i), length, -1);
  }

 private:
  static std::size_t bytes() { return (step * static_cast<std::size_t>(size) + length) * sizeof(int); }
  int* data_;
};

void exchange() {
  const MPI_Comm comm = MPI_COMM_WORLD;
  const auto n = static_cast<std::size_t>(size);
  std::vector<int> counts(n, length), far(n), own(length);
  for (std::size_t i = 0; i < n; ++i) far[i] = static_cast<int>(step * i);
  for (int j = 0; j < length; ++j) own[static_cast<std::size_t>(j)] = 5000 * rank + j;
  const FarBlocks sent, received;
  const auto of_rank = [](int i) { return 5000 * i; };
  const auto of_pair = [](int i) { return 100'000 * rank + 5000 * i; };
  const auto of_pair_turned = [](int i) { return 100'000 * i + 5000 * rank; };

  MPI_Allgatherv(own.data(), length, MPI_INT, received.data(), counts.data(), far.data(), MPI_INT, comm);
  received.check("Allgatherv", of_rank);
  std::copy_n(own.data(), length, received.block(rank));
  MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_INT, received.data(), counts.data(), far.data(), MPI_INT, comm);
  received.check("Allgatherv in place", of_rank);

  sent.fill(of_pair);
  MPI_Alltoallv(sent.data(), counts.data(), far.data(), MPI_INT, received.data(), counts.data(), far.data(), MPI_INT, comm);
  received.check("Alltoallv", of_pair_turned);

  // The same distances as the extent of a type.
  MPI_Datatype wide = MPI_DATATYPE_NULL, block = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(length, MPI_INT, &block);
  MPI_Type_create_resized(block, 0, static_cast<MPI_Aint>(step * sizeof(int)), &wide);
  MPI_Type_commit(&wide);
  MPI_Alltoall(sent.data(), 1, wide, received.data(), 1, wide, comm);
  received.check("Alltoall", of_pair_turned);
  MPI_Type_free(&wide);
  MPI_Type_free(&block);

  std::vector<int> part(length);
  for (int root = 0; root < size; ++root) {
    MPI_Gatherv(own.data(), length, MPI_INT, received.data(), counts.data(), far.data(), MPI_INT, root, comm);
    if (rank == root) received.check("Gatherv", of_rank);
    MPI_Scatterv(sent.data(), counts.data(), far.data(), MPI_INT, part.data(), length, MPI_INT, root, comm);
    for (int j = 0; j < length; ++j)
      verdict.check(part[static_cast<std::size_t>(j)] == 100'000 * root + 5000 * rank + j,
                    [&] { return "Scatterv: element " + std::to_string(j); });
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  exchange();
  const int code = verdict.finish("far_blocks");
  MPI_Finalize();
  return code;
}

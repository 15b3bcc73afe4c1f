// Nonblocking collectives whose arrays of lengths and places are no more when they go on. MPI forbids that, but MPIs read the
// arrays when the call starts, and mpi4py's Iallgatherv rests on it.
#include <mpi.h>

#include <cstddef>
#include <vector>

#include "support/verdict.hpp"

using namespace xylem::test;

namespace {

int rank = 0, size = 0;

// One block of `rank + 1` ints from each rank, one behind the other.
int length_of(int of) { return of + 1; }
int start_of(int of) { return of * (of + 1) / 2; }

// What a call is given for each rank, and takes away again.
struct Arrays {
  std::vector<int> own, theirs, starts, bytes, own_bytes;
  std::vector<MPI_Datatype> types;

  Arrays() {
    for (int r = 0; r < size; ++r) {
      own.push_back(length_of(rank));
      theirs.push_back(length_of(r));
      starts.push_back(start_of(r));
      bytes.push_back(start_of(r) * static_cast<int>(sizeof(int)));
      own_bytes.push_back(0);
      types.push_back(MPI_INT);
    }
  }
  void spoil() {
    for (std::vector<int>* const each : {&own, &theirs, &starts, &bytes, &own_bytes}) each->assign(each->size(), -123456);
    types.assign(types.size(), MPI_DATATYPE_NULL);
  }
};

template <class Start>
void expect(const char* what, bool receives, Start start, Verdict& verdict) {
  std::vector<int> in(static_cast<std::size_t>(length_of(rank)), 10 * rank),
      out(static_cast<std::size_t>(start_of(size)), -1), wanted = out;
  for (int from = 0; from < size && receives; ++from)
    for (int i = 0; i < length_of(from); ++i) wanted[static_cast<std::size_t>(start_of(from) + i)] = 10 * from;
  Arrays arrays;
  MPI_Request request;
  start(in.data(), out.data(), arrays, &request);
  arrays.spoil();
  const int code = MPI_Wait(&request, MPI_STATUS_IGNORE);
  verdict.check(code == MPI_SUCCESS && out == wanted, [&] { return what; });
}

void movements(Verdict& verdict) {
  const MPI_Comm comm = MPI_COMM_WORLD;
  expect(
      "Iallgatherv", true,
      [&](int* in, int* out, const Arrays& a, MPI_Request* request) {
        MPI_Iallgatherv(in, length_of(rank), MPI_INT, out, a.theirs.data(), a.starts.data(), MPI_INT, comm, request);
      },
      verdict);
  expect(
      "Igatherv", rank == size - 1,
      [&](int* in, int* out, const Arrays& a, MPI_Request* request) {
        MPI_Igatherv(in, length_of(rank), MPI_INT, out, a.theirs.data(), a.starts.data(), MPI_INT, size - 1, comm, request);
      },
      verdict);
  expect(
      "Ialltoallv", true,
      [&](int* in, int* out, const Arrays& a, MPI_Request* request) {
        MPI_Ialltoallv(in, a.own.data(), a.own_bytes.data(), MPI_INT, out, a.theirs.data(), a.starts.data(), MPI_INT, comm,
                       request);
      },
      verdict);
  expect(
      "Ialltoallw", true,
      [&](int* in, int* out, const Arrays& a, MPI_Request* request) {
        MPI_Ialltoallw(in, a.own.data(), a.own_bytes.data(), a.types.data(), out, a.theirs.data(), a.bytes.data(),
                       a.types.data(), comm, request);
      },
      verdict);
}

// From the first rank's vector to each rank its block, and back as sums.
void blocks(Verdict& verdict) {
  std::vector<int> vector(static_cast<std::size_t>(start_of(size))), part(static_cast<std::size_t>(length_of(rank)), -1);
  for (std::size_t i = 0; i < vector.size(); ++i) vector[i] = static_cast<int>(i);
  Arrays arrays;
  MPI_Request request;
  MPI_Iscatterv(vector.data(), arrays.theirs.data(), arrays.starts.data(), MPI_INT, part.data(), length_of(rank), MPI_INT, 0,
                MPI_COMM_WORLD, &request);
  arrays.spoil();
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  bool good = true;
  for (std::size_t i = 0; i < part.size(); ++i) good = good && part[i] == start_of(rank) + static_cast<int>(i);
  verdict.check(good, [] { return "Iscatterv"; });

  Arrays others;
  MPI_Ireduce_scatter(vector.data(), part.data(), others.theirs.data(), MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
  others.spoil();
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  good = true;
  for (std::size_t i = 0; i < part.size(); ++i) good = good && part[i] == size * (start_of(rank) + static_cast<int>(i));
  verdict.check(good, [] { return "Ireduce_scatter"; });
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  Verdict verdict;
  for (int round = 0; round < 20; ++round) {
    movements(verdict);
    blocks(verdict);
  }
  const int code = verdict.finish("spent_arrays");
  MPI_Finalize();
  return code;
}

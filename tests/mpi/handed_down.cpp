// What Xylem leaves to the MPI below: large nonblocking reductions by user-defined operations, intercommunicators. Between
// these, calls that it runs itself: both kinds must keep their order and their results.
#include <mpi.h>

#include <string>
#include <vector>

#include "support/affine.hpp"
#include "support/verdict.hpp"

using namespace xylem::test;

namespace {

void predefined_call(int size, Verdict& verdict) {
  int one = 1, sum = 0;
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  verdict.check(sum == size, [] { return "a predefined sum in between is wrong"; });
}

// More than Xylem would keep in memory of the vectors of all ranks. All objects are freed while it goes on.
void large_user_operation(int rank, int size, Verdict& verdict) {
  constexpr std::size_t count = 1'100'000;
  AffineItems in(AffineMap::contiguous, count), out(AffineMap::contiguous, count);
  for (std::size_t i = 0; i < count; ++i) {
    in.write(i, affine_of(rank, i));
    out.want(i, composed(size, i));
  }
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Request request;
  {
    const AffineOperation op(out);
    MPI_Iallreduce(in.buffer(), out.buffer(), count, out.type(), op.get(), comm, &request);
  }
  out.free_type();
  MPI_Comm_free(&comm);
  predefined_call(size, verdict);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  verdict.check(out.good(), [] { return "a large nonblocking allreduce with a user operation"; });
}

// Every second int: a type with holes moves through bcast and allgather, and meets a rank that describes the same signature
// as plain ints.
void types_with_holes(int rank, int size, Verdict& verdict) {
  MPI_Datatype stride;
  MPI_Type_vector(100, 1, 2, MPI_INT, &stride);
  MPI_Type_commit(&stride);
  std::vector<int> spread(200, -1), plain(100, -1);
  if (rank == 0)
    for (std::size_t i = 0; i < 100; ++i) spread[2 * i] = static_cast<int>(i);
  if (rank % 2 == 0)
    MPI_Bcast(spread.data(), 1, stride, 0, MPI_COMM_WORLD);
  else
    MPI_Bcast(plain.data(), 100, MPI_INT, 0, MPI_COMM_WORLD);
  bool good = true;
  for (std::size_t i = 0; i < 100; ++i) {
    const int value = static_cast<int>(i);
    good = good && (rank % 2 == 0 ? spread[2 * i] == value && spread[2 * i + 1] == -1 : plain[i] == value);
  }
  verdict.check(good, [] { return "bcast with a strided type on even ranks and plain ints on odd ranks"; });
  predefined_call(size, verdict);

  std::vector<int> all(static_cast<std::size_t>(size) * 100, -1);
  for (std::size_t i = 0; i < 100; ++i) spread[2 * i] = rank;
  MPI_Allgather(spread.data(), 1, stride, all.data(), 100, MPI_INT, MPI_COMM_WORLD);
  good = true;
  for (std::size_t i = 0; i < all.size(); ++i) good = good && all[i] == static_cast<int>(i / 100);
  verdict.check(good, [] { return "allgather from a strided type"; });
  MPI_Type_free(&stride);
}

void intercommunicator(int rank, int size, Verdict& verdict) {
  if (size < 2) return;
  const int side = rank % 2;
  MPI_Comm half, inter;
  MPI_Comm_split(MPI_COMM_WORLD, side, rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - side, 8, &inter);
  long in = rank, out = -1, wanted = 0;
  for (int other = 1 - side; other < size; other += 2) wanted += other;
  MPI_Allreduce(&in, &out, 1, MPI_LONG, MPI_SUM, inter);
  verdict.check(out == wanted, [] { return "allreduce on an intercommunicator gives the sum of the other group"; });
  int value = side == 0 ? 42 : -1;
  MPI_Bcast(&value, 1, MPI_INT, side == 1 ? 0 : (rank == 0 ? MPI_ROOT : MPI_PROC_NULL), inter);
  verdict.check(value == 42, [] { return "bcast on an intercommunicator"; });
  MPI_Barrier(inter);
  int others = 0;
  MPI_Comm_remote_size(inter, &others);
  std::vector<int> sent(static_cast<std::size_t>(others)), received(sent.size(), -1);
  for (std::size_t i = 0; i < sent.size(); ++i) sent[i] = 100 * rank + 2 * static_cast<int>(i) + 1 - side;
  MPI_Request request;
  MPI_Ialltoall(sent.data(), 1, MPI_INT, received.data(), 1, MPI_INT, inter, &request);
  MPI_Comm_free(&inter);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  bool good = true;
  for (std::size_t i = 0; i < received.size(); ++i)
    good = good && received[i] == 100 * (2 * static_cast<int>(i) + 1 - side) + rank;
  verdict.check(good, [] { return "alltoall on an intercommunicator"; });
  predefined_call(size, verdict);
  MPI_Comm_free(&half);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  Verdict verdict;
  large_user_operation(rank, size, verdict);
  for (int round = 0; round < 3; ++round) {
    types_with_holes(rank, size, verdict);
    intercommunicator(rank, size, verdict);
    predefined_call(size, verdict);
  }
  const int code = verdict.finish("handed_down");
  MPI_Finalize();
  return code;
}

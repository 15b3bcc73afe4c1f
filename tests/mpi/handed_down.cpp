// What Xylem leaves to the MPI below: user-defined operations, derived types in reductions, intercommunicators. Between
// these, calls that it runs itself: both kinds must keep their order and their results.
#include <mpi.h>

#include <algorithm>
#include <string>
#include <vector>

#include "support/verdict.hpp"

using namespace xylem::test;

namespace {

// Composition of affine maps x -> a x + b: associative, not commutative.
struct Affine {
  long a, b;
  bool operator==(const Affine&) const = default;
};

void compose(void* in, void* inout, int* length, MPI_Datatype*) {
  const auto* first = static_cast<const Affine*>(in);
  auto* second = static_cast<Affine*>(inout);
  for (int i = 0; i < *length; ++i) second[i] = {first[i].a * second[i].a, second[i].a * first[i].b + second[i].b};
}

void add_longs(void* in, void* inout, int* length, MPI_Datatype*) {
  for (int i = 0; i < *length; ++i) static_cast<long*>(inout)[i] += static_cast<const long*>(in)[i];
}

void predefined_call(int size, Verdict& verdict) {
  int one = 1, sum = 0;
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  verdict.check(sum == size, [] { return "a predefined sum in between is wrong"; });
}

void user_operation(int rank, int size, Verdict& verdict) {
  MPI_Datatype affine;
  MPI_Type_contiguous(2, MPI_LONG, &affine);
  MPI_Type_commit(&affine);
  MPI_Op op;
  MPI_Op_create(compose, 0, &op);
  for (int count : {1, 3, 1000}) {
    const auto length = static_cast<std::size_t>(count);
    const auto map_of = [](int r, std::size_t i) { return Affine{1 + (r + static_cast<int>(i)) % 2, r}; };
    std::vector<Affine> in(length), out(length), wanted(length);
    for (std::size_t i = 0; i < length; ++i) {
      in[i] = map_of(rank, i);
      wanted[i] = map_of(0, i);
      for (int r = 1; r < size; ++r) {
        Affine next = map_of(r, i);
        next = {wanted[i].a * next.a, next.a * wanted[i].b + next.b};
        wanted[i] = next;
      }
    }
    MPI_Allreduce(in.data(), out.data(), count, affine, op, MPI_COMM_WORLD);
    verdict.check(out == wanted, [&] { return "user operation, count " + std::to_string(count); });
    predefined_call(size, verdict);
    MPI_Reduce(in.data(), out.data(), count, affine, op, size - 1, MPI_COMM_WORLD);
    verdict.check(rank != size - 1 || out == wanted,
                  [&] { return "user operation at a root, count " + std::to_string(count); });
    MPI_Request request;
    std::fill(out.begin(), out.end(), Affine{});
    MPI_Iallreduce(in.data(), out.data(), count, affine, op, MPI_COMM_WORLD, &request);
    predefined_call(size, verdict);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    verdict.check(out == wanted, [&] { return "nonblocking user operation, count " + std::to_string(count); });
    MPI_Scan(in.data(), out.data(), count, affine, op, MPI_COMM_WORLD);
    verdict.check(rank != size - 1 || out == wanted,
                  [&] { return "scan of a user operation, count " + std::to_string(count); });
  }
  MPI_Op_free(&op);
  MPI_Type_free(&affine);
}

void user_operation_on_predefined_type(int rank, int size, Verdict& verdict) {
  MPI_Op op;
  MPI_Op_create(add_longs, 1, &op);
  long in = rank + 1, out = 0;
  MPI_Allreduce(&in, &out, 1, MPI_LONG, op, MPI_COMM_WORLD);
  verdict.check(out == size * (size + 1L) / 2, [] { return "user operation on MPI_LONG"; });
  std::vector<long> blocks(static_cast<std::size_t>(size), in);
  MPI_Reduce_scatter_block(blocks.data(), &out, 1, MPI_LONG, op, MPI_COMM_WORLD);
  verdict.check(out == size * (size + 1L) / 2, [] { return "user operation in Reduce_scatter_block"; });
  MPI_Op_free(&op);
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
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  bool good = true;
  for (std::size_t i = 0; i < received.size(); ++i)
    good = good && received[i] == 100 * (2 * static_cast<int>(i) + 1 - side) + rank;
  verdict.check(good, [] { return "alltoall on an intercommunicator"; });
  predefined_call(size, verdict);
  MPI_Comm_free(&inter);
  MPI_Comm_free(&half);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  Verdict verdict;
  for (int round = 0; round < 3; ++round) {
    user_operation(rank, size, verdict);
    user_operation_on_predefined_type(rank, size, verdict);
    types_with_holes(rank, size, verdict);
    intercommunicator(rank, size, verdict);
    predefined_call(size, verdict);
  }
  const int code = verdict.finish("handed_down");
  MPI_Finalize();
  return code;
}

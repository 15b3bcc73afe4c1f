// Ranks that call different things on one communicator get an error whose text says what happened, through the communicator's
// error handler, and other communicators work on. MPI promises nothing here; Xylem does.
//
// usage: mismatched_calls [fatal]    "fatal": under the handler that every communicator has at first, which must end the job
#include <mpi.h>

#include <string>
#include <vector>

#include "support/verdict.hpp"

using namespace xylem::test;

namespace {

int rank = 0, size = 0;

std::string text_of(int code) {
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(code, text, &length);
  return {text, static_cast<std::size_t>(length)};
}

// `call` makes this rank's call on a communicator of its own for the occasion. Who only sends in it need not notice: it
// learns with the next call at the latest.
template <class Call>
void expect_error(const char* what, const std::string& text, bool notices, Call call, Verdict& verdict) {
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  const int code = call(comm);
  verdict.check(code != MPI_SUCCESS || !notices, [&] { return std::string(what) + " passes"; });
  verdict.check(code == MPI_SUCCESS || text_of(code).starts_with(text),
                [&] { return std::string(what) + ": " + text_of(code); });
  // Who finds out by itself is told as the MPI would tell it, the others that somebody has given up.
  int error_class = MPI_SUCCESS;
  MPI_Error_class(code, &error_class);
  const int truncated = error_class == MPI_ERR_TRUNCATE ? 1 : 0;
  int any_truncated = 0;
  MPI_Allreduce(&truncated, &any_truncated, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  verdict.check((truncated == 1 || error_class == MPI_ERR_OTHER || code == MPI_SUCCESS) && any_truncated > 0,
                [&] { return std::string(what) + ": an error of class " + std::to_string(error_class); });
  int one = 1, sum = 0;
  verdict.check(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm) != MPI_SUCCESS,
                [&] { return std::string(what) + ": the communicator takes another call"; });
  MPI_Comm_free(&comm);
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  verdict.check(sum == size, [&] { return std::string(what) + ": a sum on another communicator is " + std::to_string(sum); });
}

// Ranks expect more or less of themselves than they send: the others are served as ever, and so are later calls.
void own_block(Verdict& verdict) {
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  const auto ranks = static_cast<std::size_t>(size);
  std::vector<int> in(ranks), out(ranks + 1, -1), sent(ranks, 1), received(ranks, 1), places(ranks), places_there(ranks);
  for (int r = 0; r < size; ++r) {
    const auto i = static_cast<std::size_t>(r);
    in[i] = 10 * rank + r;
    places[i] = r;
    places_there[i] = r + 1;
  }
  if (rank == 0) received[0] = 2, places_there[0] = 0;
  const int code = MPI_Alltoallv(in.data(), sent.data(), places.data(), MPI_INT, out.data(), received.data(),
                                 places_there.data(), MPI_INT, comm);
  int error_class = MPI_SUCCESS;
  MPI_Error_class(code, &error_class);
  bool good = error_class == (rank == 0 ? MPI_ERR_TRUNCATE : MPI_SUCCESS);
  for (int r = rank == 0 ? 1 : 0; r < size; ++r) good = good && out[static_cast<std::size_t>(r + 1)] == 10 * r + rank;
  verdict.check(good, [&] { return "alltoallv with another length for itself: class " + std::to_string(error_class); });
  // In an allgather, where all do so.
  MPI_Error_class(MPI_Allgather(in.data(), 2, MPI_INT, out.data(), 1, MPI_INT, comm), &error_class);
  verdict.check(error_class == MPI_ERR_TRUNCATE, [&] { return "allgather of more: class " + std::to_string(error_class); });
  int one = 1, sum = 0;
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
  verdict.check(sum == size, [] { return "a call after errors that ranks noticed by themselves"; });
  MPI_Comm_free(&comm);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  Verdict verdict;
  int in[2] = {1, 2}, out[2];
  std::vector<int> all(4 * static_cast<std::size_t>(size));
  const int some = rank == 0 ? 1 : 2;
  if (argc > 1) MPI_Allreduce(in, out, some, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  const auto allreduce = [&](int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    return MPI_Allreduce(in, out, count, type, op, comm);
  };
  expect_error(
      "another count", "Xylem: allreduce(", true, [&](MPI_Comm c) { return allreduce(some, MPI_INT, MPI_SUM, c); }, verdict);
  expect_error(
      "another op", "Xylem: allreduce(", true,
      [&](MPI_Comm c) { return allreduce(1, MPI_INT, rank == 0 ? MPI_MAX : MPI_SUM, c); }, verdict);
  expect_error(
      "another type", "Xylem: allreduce(", true,
      [&](MPI_Comm c) { return allreduce(1, rank == 0 ? MPI_FLOAT : MPI_INT, MPI_SUM, c); }, verdict);
  // Gathered and scattered blocks may be of other lengths for every rank, but not at both of their ends.
  expect_error(
      "more than a rank has room for", "Xylem: bcast(", rank == 0,
      [&](MPI_Comm c) { return MPI_Bcast(in, some, MPI_INT, size - 1, c); }, verdict);
  expect_error(
      "more than the others", "Xylem: allgather(", true,
      [&](MPI_Comm c) { return MPI_Allgather(in, some, MPI_INT, all.data(), some, MPI_INT, c); }, verdict);
  expect_error(
      "more than the root expects", "Xylem: gather(", rank == 0,
      [&](MPI_Comm c) { return MPI_Gather(in, some, MPI_INT, all.data(), some, MPI_INT, 0, c); }, verdict);
  expect_error(
      "more than a rank expects of itself", rank == 0 ? "" : "Xylem: alltoall(", true,
      [&](MPI_Comm c) { return MPI_Alltoall(all.data(), rank == 0 ? 2 : 1, MPI_INT, all.data() + 2 * size, 1, MPI_INT, c); },
      verdict);
  own_block(verdict);

  const int code = verdict.finish("mismatched_calls");
  MPI_Finalize();
  return code;
}

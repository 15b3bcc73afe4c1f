// Ranks that call different things on one communicator get an error whose text says what happened, through the communicator's
// error handler, and other communicators work on. MPI promises nothing here; Xylem does.
#include <mpi.h>

#include <string>

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

// `call` makes this rank's call on a communicator of its own for the occasion.
template <class Call>
void expect_error(const char* what, Call call, Verdict& verdict) {
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  const int code = call(comm);
  verdict.check(code != MPI_SUCCESS, [&] { return std::string(what) + " passes"; });
  verdict.check(text_of(code).starts_with("Xylem: allreduce("), [&] { return std::string(what) + ": " + text_of(code); });
  int one = 1, sum = 0;
  verdict.check(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm) != MPI_SUCCESS,
                [&] { return std::string(what) + ": the communicator takes another call"; });
  MPI_Comm_free(&comm);
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  verdict.check(sum == size, [&] { return std::string(what) + ": a sum on another communicator is " + std::to_string(sum); });
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  Verdict verdict;
  int in[2] = {1, 2}, out[2];
  const auto allreduce = [&](int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    return MPI_Allreduce(in, out, count, type, op, comm);
  };
  expect_error(
      "another count", [&](MPI_Comm c) { return allreduce(rank == 0 ? 1 : 2, MPI_INT, MPI_SUM, c); }, verdict);
  expect_error(
      "another op", [&](MPI_Comm c) { return allreduce(1, MPI_INT, rank == 0 ? MPI_MAX : MPI_SUM, c); }, verdict);
  expect_error(
      "another type", [&](MPI_Comm c) { return allreduce(1, rank == 0 ? MPI_FLOAT : MPI_INT, MPI_SUM, c); }, verdict);

  const int code = verdict.finish("mismatched_calls");
  MPI_Finalize();
  return code;
}

// Wrong arguments under MPI_ERRORS_RETURN and under a handler of the program. Prints the class of each error: CTest compares
// the output with that of a run without Xylem. (Debian's MPIs do not check every argument and crash on some; these are
// left out.) The communicator must work after each error.
#include <mpi.h>

#include <cstdio>
#include <string>

#include "support/persistent.hpp"
#include "support/verdict.hpp"

using namespace xylem::test;

namespace {

int handled = 0;
void handler(MPI_Comm*, int*, ...) { ++handled; }

// In other calls than these: a reduce at its root, and an allreduce of several elements.
#ifdef OPEN_MPI
constexpr bool refuses_aliases = false;
#else
constexpr bool refuses_aliases = true;
#endif

int rank = 0, size = 0;

void report(const char* what, int error, MPI_Comm comm, Verdict& verdict) {
  int error_class = MPI_SUCCESS;
  MPI_Error_class(error, &error_class);
  if (rank == 0) {
    char text[MPI_MAX_ERROR_STRING];
    int length = 0;
    MPI_Error_string(error_class, text, &length);
    std::printf("%s: class %d, %s, handler called %d times\n", what, error_class, text, handled);
  }
  handled = 0;
  int one = 1, sum = 0;
  error = MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
  verdict.check(error == MPI_SUCCESS && sum == size, [&] { return std::string("a good call after: ") + what; });
}

// Calls with a block for every rank.
void wrong_block_calls(MPI_Comm comm, Verdict& verdict) {
  double in[8] = {}, out[64] = {};
  const MPI_Datatype type = MPI_DOUBLE, none = MPI_DATATYPE_NULL;
  MPI_Datatype uncommitted;
  MPI_Type_contiguous(2, MPI_DOUBLE, &uncommitted);
  const int ones[] = {1, 1, 1}, negative[] = {-1, -1, -1}, places[] = {0, 1, 2}, bytes[] = {0, 8, 16};
  const MPI_Datatype types[] = {type, type, type}, no_types[] = {none, none, none};
  const auto say = [&](const char* what, int error) { report(what, error, comm, verdict); };
  say("Allgather, send count negative", MPI_Allgather(in, -1, type, out, 1, type, comm));
  say("Allgather, receive count negative", MPI_Allgather(in, 1, type, out, -1, type, comm));
  say("Allgather, received in place", MPI_Allgather(in, 1, type, MPI_IN_PLACE, 1, type, comm));
  say("Allgatherv, send count negative", MPI_Allgatherv(in, -1, type, out, ones, places, type, comm));
  say("Allgatherv, receive type null", MPI_Allgatherv(in, 1, type, out, ones, places, none, comm));
  say("Alltoall, send count negative", MPI_Alltoall(in, -1, type, out, 1, type, comm));
  say("Alltoall, not committed", MPI_Alltoall(in, 1, uncommitted, out, 1, uncommitted, comm));
  say("Alltoallv, send counts negative", MPI_Alltoallv(in, negative, places, type, out, ones, places, type, comm));
  say("Alltoallv, receive type null", MPI_Alltoallv(in, ones, places, type, out, ones, places, none, comm));
  say("Alltoallw, send counts negative", MPI_Alltoallw(in, negative, bytes, types, out, ones, bytes, types, comm));
  say("Alltoallw, receive types null", MPI_Alltoallw(in, ones, bytes, types, out, ones, bytes, no_types, comm));
  say("Gather, root too large", MPI_Gather(in, 1, type, out, 1, type, size, comm));
  say("Gatherv, root negative", MPI_Gatherv(in, 1, type, out, ones, places, type, -5, comm));
  say("Scatter, root too large", MPI_Scatter(in, 1, type, out, 1, type, size + 1, comm));
  say("Scatterv, root too large", MPI_Scatterv(in, ones, places, type, out, 1, type, size, comm));
  say("Reduce_scatter, counts negative", MPI_Reduce_scatter(in, out, negative, type, MPI_SUM, comm));
  say("Reduce_scatter, no such operation for the type", MPI_Reduce_scatter(in, out, ones, type, MPI_BAND, comm));
  say("Scan, MPI_OP_NULL", MPI_Scan(in, out, 1, type, MPI_OP_NULL, comm));
  say("Exscan, no such operation for the type", MPI_Exscan(in, out, 1, type, MPI_BAND, comm));
  if (refuses_aliases) {
    say("Allreduce of one element, both buffers alike", MPI_Allreduce(in, in, 1, type, MPI_SUM, comm));
    say("Allgather, its own place", MPI_Allgather(out + rank, 1, type, out, 1, type, comm));
    say("Alltoall, both buffers alike", MPI_Alltoall(out, 1, type, out, 1, type, comm));
    say("Alltoallv, both buffers alike", MPI_Alltoallv(out, ones, places, type, out, ones, places, type, comm));
    say("Exscan, both buffers alike", MPI_Exscan(in, in, 1, type, MPI_SUM, comm));
    say("Scan, both buffers alike", MPI_Scan(in, in, 1, type, MPI_SUM, comm));
  }
  MPI_Type_free(&uncommitted);
}

// Calls that go on after the program's has returned: nothing is started.
void wrong_requests(MPI_Comm comm, Verdict& verdict) {
  double in[8] = {}, out[64] = {};
  const MPI_Datatype type = MPI_DOUBLE, none = MPI_DATATYPE_NULL;
  MPI_Request r = MPI_REQUEST_NULL;
  const auto say = [&](const char* what, int error) { report(what, error, comm, verdict); };
  say("Ibcast, root too large", MPI_Ibcast(out, 1, type, size, comm, &r));
  say("Ibcast, count negative", MPI_Ibcast(out, -1, type, 0, comm, &r));
  say("Iallreduce, MPI_OP_NULL", MPI_Iallreduce(in, out, 1, type, MPI_OP_NULL, comm, &r));
  say("Ireduce, root negative", MPI_Ireduce(in, out, 1, type, MPI_SUM, -4, comm, &r));
  say("Iscan, no such operation for the type", MPI_Iscan(in, out, 1, type, MPI_BAND, comm, &r));
  say("Iallgather, receive type null", MPI_Iallgather(in, 1, type, out, 1, none, comm, &r));
  say("Igather, root too large", MPI_Igather(in, 1, type, out, 1, type, size + 1, comm, &r));
  say("Ialltoall, send count negative", MPI_Ialltoall(in, -1, type, out, 1, type, comm, &r));
  say("Bcast_init, root too large", XYLEM_MPI_INIT(Bcast)(out, 1, type, size, comm, MPI_INFO_NULL, &r));
  say("Allreduce_init, MPI_OP_NULL", XYLEM_MPI_INIT(Allreduce)(in, out, 1, type, MPI_OP_NULL, comm, MPI_INFO_NULL, &r));
}

// With an operation of the program.
void wrong_user_operations(MPI_Comm comm, Verdict& verdict) {
  double in[8] = {}, out[64] = {};
  MPI_Op op;
  MPI_Op_create([](void*, void*, int*, MPI_Datatype*) {}, 0, &op);
  MPI_Datatype uncommitted;
  MPI_Type_contiguous(2, MPI_DOUBLE, &uncommitted);
  const auto say = [&](const char* what, int error) { report(what, error, comm, verdict); };
  say("Allreduce by the program, MPI_DATATYPE_NULL", MPI_Allreduce(in, out, 1, MPI_DATATYPE_NULL, op, comm));
  say("Allreduce by the program, not committed", MPI_Allreduce(in, out, 1, uncommitted, op, comm));
  say("Reduce by the program, root too large", MPI_Reduce(in, out, 1, MPI_DOUBLE, op, size, comm));
  if (refuses_aliases) say("Scan by the program, both buffers alike", MPI_Scan(in, in, 1, MPI_DOUBLE, op, comm));
  MPI_Type_free(&uncommitted);
  MPI_Op_free(&op);
}

void wrong_calls(MPI_Comm comm, Verdict& verdict) {
  double in[8] = {}, out[64] = {};
  const auto say = [&](const char* what, int error) { report(what, error, comm, verdict); };
  say("Allreduce, MPI_OP_NULL", MPI_Allreduce(in, out, 1, MPI_DOUBLE, MPI_OP_NULL, comm));
  say("Allreduce, no such operation for the type", MPI_Allreduce(in, out, 1, MPI_DOUBLE, MPI_BAND, comm));
  say("Allreduce, MPI_DATATYPE_NULL", MPI_Allreduce(in, out, 1, MPI_DATATYPE_NULL, MPI_SUM, comm));
  say("Bcast, root too large", MPI_Bcast(out, 1, MPI_DOUBLE, size, comm));
  say("Bcast, root negative", MPI_Bcast(out, 1, MPI_DOUBLE, -7, comm));
  say("Bcast, count negative", MPI_Bcast(out, -1, MPI_DOUBLE, 0, comm));
  say("Bcast, MPI_DATATYPE_NULL", MPI_Bcast(out, 1, MPI_DATATYPE_NULL, 0, comm));
  say("Reduce, root too large", MPI_Reduce(in, out, 1, MPI_DOUBLE, MPI_SUM, size + 3, comm));
  say("Reduce, MPI_OP_NULL", MPI_Reduce(in, out, 1, MPI_DOUBLE, MPI_OP_NULL, 0, comm));
  say("Allgather, receive type null", MPI_Allgather(in, 1, MPI_DOUBLE, out, 1, MPI_DATATYPE_NULL, comm));
  say("Reduce_scatter_block, MPI_OP_NULL", MPI_Reduce_scatter_block(in, out, 1, MPI_DOUBLE, MPI_OP_NULL, comm));
  wrong_block_calls(comm, verdict);
  wrong_requests(comm, verdict);
  wrong_user_operations(comm, verdict);
}

// A null communicator belongs to none, so the error goes to the handler of MPI_COMM_WORLD, since MPI-4 to that of
// MPI_COMM_SELF.
void null_communicator(Verdict& verdict) {
  const MPI_Comm null = MPI_COMM_NULL;
  double in[8] = {}, out[64] = {};
  const MPI_Datatype type = MPI_DOUBLE;
  const auto say = [&](const char* what, int error) {
    report((std::string(what) + ", MPI_COMM_NULL").c_str(), error, MPI_COMM_WORLD, verdict);
  };
  say("Barrier", MPI_Barrier(null));
  say("Allreduce", MPI_Allreduce(in, out, 1, type, MPI_SUM, null));
  say("Reduce", MPI_Reduce(in, out, 1, type, MPI_SUM, 0, null));
  say("Scan", MPI_Scan(in, out, 1, type, MPI_SUM, null));
  say("Reduce_scatter_block", MPI_Reduce_scatter_block(in, out, 1, type, MPI_SUM, null));
  say("Bcast", MPI_Bcast(out, 1, type, 0, null));
  say("Gather", MPI_Gather(in, 1, type, out, 1, type, 0, null));
  say("Scatter", MPI_Scatter(in, 1, type, out, 1, type, 0, null));
  say("Alltoall", MPI_Alltoall(in, 1, type, out, 1, type, null));
  MPI_Request request = MPI_REQUEST_NULL;
  say("Ibarrier", MPI_Ibarrier(null, &request));
  MPI_Comm made;
  say("Comm_dup", MPI_Comm_dup(null, &made));
  say("Comm_split", MPI_Comm_split(null, 0, 0, &made));
}

// Open MPI tells the handler of MPI_COMM_WORLD, whatever the communicator.
void aliased_allreduces(Verdict& verdict) {
  double in[8] = {};
  MPI_Comm comm = MPI_COMM_WORLD;
  MPI_Request r = MPI_REQUEST_NULL;
  MPI_Op op;
  MPI_Op_create([](void*, void*, int*, MPI_Datatype*) {}, 0, &op);
  const auto say = [&](const char* what, int error) { report(what, error, comm, verdict); };
  say("Allreduce, both buffers alike", MPI_Allreduce(in, in, 2, MPI_DOUBLE, MPI_SUM, comm));
  say("Allreduce by the program, both buffers alike", MPI_Allreduce(in, in, 2, MPI_DOUBLE, op, comm));
  say("Iallreduce, both buffers alike", MPI_Iallreduce(in, in, 2, MPI_DOUBLE, MPI_SUM, comm, &r));
  say("Allreduce_init, both buffers alike",
      XYLEM_MPI_INIT(Allreduce)(in, in, 2, MPI_DOUBLE, MPI_SUM, comm, MPI_INFO_NULL, &r));
  MPI_Op_free(&op);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  Verdict verdict;

  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  wrong_calls(comm, verdict);

  MPI_Errhandler own;
  MPI_Comm_create_errhandler(handler, &own);
  MPI_Comm_set_errhandler(comm, own);
  wrong_calls(comm, verdict);
  MPI_Errhandler_free(&own);
  MPI_Comm_free(&comm);

  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  null_communicator(verdict);
  aliased_allreduces(verdict);

  const int code = verdict.finish("argument_errors");
  MPI_Finalize();
  return code;
}

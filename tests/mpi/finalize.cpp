// How programs end: MPI_Finalize with nothing freed, with attributes on MPI_COMM_SELF whose callbacks use MPI; from a handler
// of atexit(), where objects are freed late; from the destructor of a static object.
//
// usage: finalize unfreed | atexit | static
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "support/persistent.hpp"
#include "support/verdict.hpp"

using namespace xylem::test;

namespace {

// What a program may have when it ends.
struct Objects {
  MPI_Comm dup = MPI_COMM_NULL, half = MPI_COMM_NULL, cartesian = MPI_COMM_NULL, idup = MPI_COMM_NULL, self = MPI_COMM_NULL;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Op op = MPI_OP_NULL;
  MPI_Request unstarted = MPI_REQUEST_NULL, started = MPI_REQUEST_NULL;
  int in = 1, out = 0, out_again = 0;
};
Objects objects;
int self_deleted = 0;

void fail(const char* what) {
  std::printf("FAILED: %s\n", what);
  std::fflush(stdout);
  std::_Exit(1);
}

void use(MPI_Comm comm, const char* where) {
  int one = 1, sum = 0, size = 0;
  long later = 0;
  const long big = 1;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Comm_size(comm, &size);
  MPI_Iallreduce(&big, &later, 1, MPI_LONG, MPI_SUM, comm, &request);
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (sum != size || later != size) fail(where);
}

void add(void* in, void* out, int* count, MPI_Datatype*) {
  for (int i = 0; i < *count; ++i) static_cast<int*>(out)[i] += static_cast<int*>(in)[i];
}

void make_objects() {
  Objects& o = objects;
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_dup(MPI_COMM_WORLD, &o.dup);
  MPI_Comm_split(o.dup, rank % 2, rank, &o.half);
  const int periods = 1;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periods, 1, &o.cartesian);
  MPI_Request made = MPI_REQUEST_NULL;
  MPI_Comm_idup(MPI_COMM_WORLD, &o.idup, &made);
  MPI_Wait(&made, MPI_STATUS_IGNORE);
  MPI_Comm_dup(MPI_COMM_SELF, &o.self);
  MPI_Type_vector(3, 1, 2, MPI_INT, &o.type);
  MPI_Type_commit(&o.type);
  MPI_Op_create(add, 1, &o.op);
  XYLEM_MPI_INIT(Allreduce)(&o.in, &o.out, 1, MPI_INT, MPI_SUM, o.half, MPI_INFO_NULL, &o.started);
  XYLEM_MPI_INIT(Allreduce)(&o.in, &o.out_again, 1, MPI_INT, o.op, o.dup, MPI_INFO_NULL, &o.unstarted);
  for (int i = 0; i < 3; ++i) {
    MPI_Start(&o.started);
    MPI_Wait(&o.started, MPI_STATUS_IGNORE);
  }
  std::vector<int> data(5, rank == 0 ? 7 : 0);
  MPI_Bcast(data.data(), 1, o.type, 0, o.cartesian);
  if (data[0] != 7 || data[4] != 7 || (rank != 0 && data[1] != 0)) fail("bcast");
  for (MPI_Comm comm : {o.dup, o.half, o.cartesian, o.idup, o.self}) use(comm, "a communicator");
}

void free_objects() {
  Objects& o = objects;
  MPI_Request_free(&o.started);
  MPI_Request_free(&o.unstarted);
  MPI_Op_free(&o.op);
  MPI_Type_free(&o.type);
  for (MPI_Comm* comm : {&o.dup, &o.half, &o.cartesian, &o.idup, &o.self}) MPI_Comm_free(comm);
}

// MPI_Finalize calls it before all else, when all of MPI still works.
int on_delete_of_self(MPI_Comm, int, void*, void*) {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (finalized != 0) fail("the callbacks of MPI_COMM_SELF come too late");
  ++self_deleted;
  for (MPI_Comm comm : {MPI_COMM_WORLD, objects.dup, objects.half, objects.cartesian, objects.self})
    use(comm, "in a callback of MPI_COMM_SELF");
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(objects.half, &comm);
  use(comm, "made in a callback of MPI_COMM_SELF");
  MPI_Comm_free(&comm);
  return MPI_SUCCESS;
}

void watch_self() {
  int keyval = MPI_KEYVAL_INVALID;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_delete_of_self, &keyval, nullptr);
  MPI_Comm_set_attr(MPI_COMM_SELF, keyval, nullptr);
  MPI_Comm_free_keyval(&keyval);
}

void end_late() {
  use(MPI_COMM_WORLD, "late");
  watch_self();
  MPI_Finalize();
  if (self_deleted != 1) fail("the callback of MPI_COMM_SELF was not called");
}

void end_at_exit() {
  use(objects.dup, "in a handler of atexit()");
  MPI_Comm_free(&objects.half);
  MPI_Comm_dup(MPI_COMM_WORLD, &objects.half);
  end_late();
}

struct Last {
  bool finalizes = false;
  ~Last() {
    if (!finalizes) return;
    free_objects();
    make_objects();
    end_late();
  }
};
Last last;

}  // namespace

int main(int argc, char** argv) {
  const std::string way = argc > 1 ? argv[1] : "unfreed";
  if (way == "atexit") std::atexit(end_at_exit);
  MPI_Init(&argc, &argv);
  make_objects();
  Verdict verdict;
  const int code = verdict.finish("finalize");
  last.finalizes = way == "static";
  if (way != "unfreed") return code;
  watch_self();
  MPI_Finalize();
  return self_deleted == 1 ? code : 1;
}

// The error handlers of the program are the program's. A communicator whose handler nobody has set has none of its own under
// MPICH, and follows MPI_COMM_WORLD; a handler that one thread sets stays while others make Xylem ask the MPI about handles
// it has not seen; and a wrong handle is told once.
#include <mpi.h>

#include <atomic>
#include <cstdio>
#include <string>
#include <thread>

#include "support/verdict.hpp"

using namespace xylem::test;

namespace {

int rank = 0, size = 0;
std::atomic<int> told{0};

void count_error(MPI_Comm*, int*, ...) { ++told; }
void another_handler(MPI_Comm*, int*, ...) {}

void sum_of_ints(void* in, void* inout, int* count, MPI_Datatype*) {
  for (int i = 0; i < *count; ++i) static_cast<int*>(inout)[i] += static_cast<int*>(in)[i];
}

int class_of(int code) {
  int error_class = MPI_SUCCESS;
  MPI_Error_class(code, &error_class);
  return error_class;
}

// Duplicated before MPI_COMM_WORLD got its handler.
void of_a_duplicate(Verdict& verdict) {
#ifndef OPEN_MPI
  MPI_Comm dup;
  MPI_Comm_dup(MPI_COMM_WORLD, &dup);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  int value = 0;
  const int bcast = class_of(MPI_Bcast(&value, 1, MPI_INT, size, dup));
  const int create = class_of(MPI_Comm_create(dup, MPI_GROUP_NULL, &dup));
  verdict.check(bcast == MPI_ERR_ROOT, [&] { return "a wrong root: class " + std::to_string(bcast); });
  verdict.check(create == MPI_ERR_GROUP, [&] { return "a wrong group: class " + std::to_string(create); });
  MPI_Comm_free(&dup);
#else
  static_cast<void>(verdict);
#endif
}

// What Xylem has to find out about handles: operations of the program, and communicators whose ranks did not make them
// together.
int use_new_handles(MPI_Comm comm) {
  int wrong = 0;
  for (int i = 0; i < 100; ++i) {
    MPI_Op op;
    MPI_Comm made;
    MPI_Request request;
    MPI_Op_create(sum_of_ints, 1, &op);
    MPI_Comm_idup(comm, &made, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    int one = 1, sum = 0;
    MPI_Allreduce(&one, &sum, 1, MPI_INT, op, made);
    wrong += sum == size ? 0 : 1;
    MPI_Comm_free(&made);
    MPI_Op_free(&op);
  }
  return wrong;
}

void of_another_thread(Verdict& verdict) {
  MPI_Errhandler handlers[2], found;
  MPI_Comm_create_errhandler(count_error, &handlers[0]);
  MPI_Comm_create_errhandler(another_handler, &handlers[1]);
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  std::atomic<bool> over{false};
  int wrong = 0, lost = 0;
  std::thread collectives([&] {
    wrong = use_new_handles(comm);
    over = true;
  });
  for (int i = 0; !over; ++i) {
    MPI_Comm world_or_self = i / 2 % 2 == 0 ? MPI_COMM_WORLD : MPI_COMM_SELF;
    MPI_Comm_set_errhandler(world_or_self, handlers[i % 2]);
    MPI_Comm_get_errhandler(world_or_self, &found);
    lost += found == handlers[i % 2] ? 0 : 1;
    MPI_Errhandler_free(&found);
  }
  collectives.join();
  verdict.check(lost == 0, [&] { return std::to_string(lost) + " handlers were others than those just set"; });
  verdict.check(wrong == 0, [&] { return std::to_string(wrong) + " wrong sums"; });
  MPI_Comm_free(&comm);
  for (MPI_Errhandler& handler : handlers) MPI_Errhandler_free(&handler);
}

#ifndef OPEN_MPI
// Of two ranks the second is in a group with a third: MPICH fails there, and the first gets no communicator, and no error.
void of_a_group_from_outside(Verdict& verdict) {
  if (size < 3) return;
  MPI_Comm low, made = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank < 2 ? 0 : MPI_UNDEFINED, 0, &low);
  if (rank >= 2) return;
  MPI_Comm_set_errhandler(low, MPI_ERRORS_RETURN);
  MPI_Group world, outside;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  const int members[] = {1, 2};
  MPI_Group_incl(world, 2, members, &outside);
  const int found = class_of(MPI_Comm_create(low, outside, &made));
  verdict.check(found == (rank == 0 ? MPI_SUCCESS : MPI_ERR_GROUP) && made == MPI_COMM_NULL,
                [&] { return "a group from outside: class " + std::to_string(found); });
  MPI_Comm dup;
  MPI_Comm_dup(low, &dup);
  int sum = 0;
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, dup);
  verdict.check(sum == 1, [&] { return "after that: sum " + std::to_string(sum); });
  MPI_Comm_free(&dup);
  MPI_Comm_free(&low);
  MPI_Group_free(&outside);
  MPI_Group_free(&world);
}
#endif

// Handles that are of no communicator, or of one that is no more: MPICH can tell.
void of_no_communicator(Verdict& verdict) {
  MPI_Errhandler counting;
  MPI_Comm_create_errhandler(count_error, &counting);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, counting);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, counting);
  int in = 1, out = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  const auto check = [&](const char* what, int code) {
    const int found = class_of(code), times = told.exchange(0);
    verdict.check(found == MPI_ERR_COMM && times == 1, [&] {
      return std::string(what) + ": class " + std::to_string(found) + ", told " + std::to_string(times) + " times";
    });
  };
  told = 0;
  check("null", MPI_Allreduce(&in, &out, 1, MPI_INT, MPI_SUM, MPI_COMM_NULL));
  check("null, nonblocking", MPI_Iallreduce(&in, &out, 1, MPI_INT, MPI_SUM, MPI_COMM_NULL, &request));
#ifndef OPEN_MPI
  MPI_Comm freed;
  MPI_Comm_dup(MPI_COMM_WORLD, &freed);
  const MPI_Comm stale = freed;
  MPI_Comm_free(&freed);
  check("freed", MPI_Allreduce(&in, &out, 1, MPI_INT, MPI_SUM, stale));
  check("freed, nonblocking", MPI_Ibcast(&in, 1, MPI_INT, 0, stale, &request));
  check("a datatype", MPI_Barrier(static_cast<MPI_Comm>(MPI_INT)));
  MPI_Comm again = stale;
  check("freed again", MPI_Comm_free(&again));
#endif
  MPI_Errhandler_free(&counting);
}

}  // namespace

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  Verdict verdict;
  of_a_duplicate(verdict);
  if (provided == MPI_THREAD_MULTIPLE)
    of_another_thread(verdict);
  else if (rank == 0)
    std::printf("this MPI offers no MPI_THREAD_MULTIPLE: other threads are not tested\n");
#ifndef OPEN_MPI
  of_a_group_from_outside(verdict);
#endif
  of_no_communicator(verdict);
  const int code = verdict.finish("error_handlers");
  MPI_Finalize();
  return code;
}

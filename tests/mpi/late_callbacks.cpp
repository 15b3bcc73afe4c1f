// Communicators that are freed while operations on them are under way. MPICH calls the callbacks of their attributes only
// when the last of these has ended, in whatever call that is, and on other ranks at once. The callbacks call collectives on
// the communicator that ends and on a private one; afterwards other communicators get the handle, with another order of
// ranks.
#include <mpi.h>

#include <numeric>
#include <string>
#include <vector>

#include "support/verdict.hpp"

using namespace xylem::test;

namespace {

Verdict verdict;
int called = 0;

// Results that depend on the order of ranks.
void use(MPI_Comm comm, const char* where) {
  int rank = 0, size = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  std::vector<int> ranks(static_cast<std::size_t>(size), -1), all(ranks.size());
  std::iota(all.begin(), all.end(), 0);
  int last = rank == size - 1 ? 42 : -1, sum = -1, sum_later = -1;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(&rank, &sum_later, 1, MPI_INT, MPI_SUM, comm, &request);
  MPI_Allgather(&rank, 1, MPI_INT, ranks.data(), 1, MPI_INT, comm);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Scan(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
  MPI_Bcast(&last, 1, MPI_INT, size - 1, comm);
  verdict.check(ranks == all && last == 42 && sum == rank * (rank + 1) / 2 && sum_later == size * (size - 1) / 2, [&] {
    return std::string(where) + ": rank " + std::to_string(rank) + " got " + std::to_string(last) + ", sums " +
           std::to_string(sum) + " and " + std::to_string(sum_later);
  });
}

int on_delete(MPI_Comm comm, int, void* attribute, void*) {
  ++called;
  use(comm, "the one that ends");
  use(*static_cast<MPI_Comm*>(attribute), "a private one");
  return MPI_SUCCESS;
}

// How the communicator is made: Xylem is there, or learns nothing of it.
enum class Made { dup_before, dup, idup, idup_used };

MPI_Comm make(Made made, MPI_Comm parent, int keyval, MPI_Comm* attribute) {
  MPI_Comm first = MPI_COMM_NULL, comm = MPI_COMM_NULL;
  MPI_Request request = MPI_REQUEST_NULL;
  switch (made) {
    case Made::dup_before:  // the attribute is older than what Xylem puts there
      MPI_Comm_dup(parent, &first);
      MPI_Comm_set_attr(first, keyval, attribute);
      MPI_Comm_dup(first, &comm);
      MPI_Comm_delete_attr(first, keyval);
      MPI_Comm_free(&first);
      return comm;
    case Made::dup:
      MPI_Comm_dup(parent, &comm);
      break;
    case Made::idup:
    case Made::idup_used:
      MPI_Comm_idup(parent, &comm, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      if (made == Made::idup_used) use(comm, "used");
      break;
  }
  MPI_Comm_set_attr(comm, keyval, attribute);
  return comm;
}

// Other communicators, some of which Xylem has not seen, in two orders of ranks.
void others(MPI_Comm reversed) {
  std::vector<MPI_Comm> comms(4, MPI_COMM_NULL);
  MPI_Request requests[2];
  MPI_Comm_idup(reversed, &comms[0], &requests[0]);
  MPI_Comm_idup(MPI_COMM_WORLD, &comms[1], &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Comm_dup(MPI_COMM_WORLD, &comms[2]);
  MPI_Comm_dup(reversed, &comms[3]);
  for (MPI_Comm& comm : comms) use(comm, "another");
  for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
}

// An operation that some ranks have not ended, here a receive that is never started.
void held_by_a_receive(MPI_Comm comm, bool holds) {
  MPI_Request request = MPI_REQUEST_NULL;
  if (holds) MPI_Recv_init(nullptr, 0, MPI_BYTE, MPI_PROC_NULL, 0, comm, &request);
  MPI_Comm_free(&comm);
  if (holds) MPI_Request_free(&request);
}

void held_by_a_collective(MPI_Comm comm) {
  int rank = 0, size = 0, sum = -1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm, &request);
  MPI_Comm_free(&comm);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  verdict.check(sum == size * (size - 1) / 2, [&] { return "outstanding: " + std::to_string(sum); });
}

// Rank 0 is in the call that makes a communicator when its message comes, and with it the end of the one that it has freed.
void ends_within_another_call(MPI_Comm comm, MPI_Comm parent) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  std::vector<char> message(std::size_t{4} << 20, 1);
  const int count = static_cast<int>(message.size());
  MPI_Request request = MPI_REQUEST_NULL;
  if (rank == 0) MPI_Irecv(message.data(), count, MPI_BYTE, 1, 0, comm, &request);
  if (rank == 1) MPI_Send(message.data(), count, MPI_BYTE, 0, 0, comm);
  MPI_Comm_free(&comm);
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Comm_split(parent, 0, 0, &made);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  use(made, "made meanwhile");
  MPI_Comm_free(&made);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int keyval = MPI_KEYVAL_INVALID;
  MPI_Comm_create_keyval(MPI_COMM_DUP_FN, on_delete, &keyval, nullptr);
  MPI_Comm reversed = MPI_COMM_NULL, apart = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
  MPI_Comm_dup(reversed, &apart);
  for (int round = 0; round < 3; ++round) {
    for (const Made made : {Made::dup_before, Made::dup, Made::idup, Made::idup_used}) {
      held_by_a_receive(make(made, reversed, keyval, &apart), true);
      others(reversed);
      held_by_a_receive(make(made, reversed, keyval, &apart), rank == 0);
      others(reversed);
      held_by_a_collective(make(made, reversed, keyval, &apart));
      others(reversed);
      if (size > 1) ends_within_another_call(make(made, reversed, keyval, &apart), reversed);
      others(reversed);
    }
  }
  verdict.check(called == 15 * (size > 1 ? 4 : 3), [] { return std::to_string(called) + " callbacks"; });
  MPI_Comm_free(&apart);
  MPI_Comm_free(&reversed);
  MPI_Comm_free_keyval(&keyval);
  use(MPI_COMM_WORLD, "the world at the end");
  const int code = verdict.finish("late_callbacks");
  MPI_Finalize();
  return code;
}

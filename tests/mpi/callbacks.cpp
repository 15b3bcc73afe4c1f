// Callbacks of attributes that call MPI: collectives on the communicator that is copied or that ends, on others, on ones that
// they make and free themselves. Libraries keep a private communicator in an attribute like that.
#include <mpi.h>

#include <string>
#include <vector>

#include "support/verdict.hpp"

using namespace xylem::test;

namespace {

Verdict verdict;
int copied = 0, deleted = 0;

int size_of(MPI_Comm comm) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  return size;
}

// Collectives in several forms, whose results tell how many ranks took part.
void use(MPI_Comm comm, const std::string& where) {
  int one = 1, sum = -1, sum_later = -1, rank = 0;
  MPI_Comm_rank(comm, &rank);
  std::vector<int> ones(30000, 1), sums(ones.size(), -1);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(&one, &sum_later, 1, MPI_INT, MPI_SUM, comm, &request);
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Allreduce(ones.data(), sums.data(), 30000, MPI_INT, MPI_SUM, comm);
  int last = rank == size_of(comm) - 1 ? 42 : -1;
  MPI_Bcast(&last, 1, MPI_INT, size_of(comm) - 1, comm);
  MPI_Barrier(comm);
  const int wanted = size_of(comm);
  verdict.check(sum == wanted && sum_later == wanted && sums == std::vector<int>(sums.size(), wanted) && last == 42, [&] {
    return where + ": sums " + std::to_string(sum) + ", " + std::to_string(sum_later) + " and " +
           std::to_string(sums.back()) + " on " + std::to_string(wanted) + " ranks, value " + std::to_string(last);
  });
}

// A communicator that lives within a callback only, of other ranks than the one before.
void make_and_free(MPI_Comm parent, const std::string& where) {
  int rank = 0;
  MPI_Comm_rank(parent, &rank);
  MPI_Comm part = MPI_COMM_NULL, copy = MPI_COMM_NULL;
  MPI_Comm_split(parent, rank % 2, -rank, &part);
  use(part, where + ", half of it");
  MPI_Comm_dup(part, &copy);
  MPI_Comm_free(&part);
  use(copy, where + ", a dup of the half");
  MPI_Comm_free(&copy);
}

int on_copy(MPI_Comm comm, int, void*, void* in, void* out, int* flag) {
  ++copied;
  use(comm, "copying");
  use(MPI_COMM_WORLD, "the world, copying");
  make_and_free(comm, "copying");
  *static_cast<void**>(out) = in;
  *flag = 1;
  return MPI_SUCCESS;
}

int on_delete(MPI_Comm comm, int, void*, void*) {
  ++deleted;
  use(comm, "deleting");
  use(MPI_COMM_WORLD, "the world, deleting");
  make_and_free(comm, "deleting");
  return MPI_SUCCESS;
}

// Communicators made out of Xylem's sight take the handles of those that have just ended.
void unseen(MPI_Comm parent) {
  MPI_Comm comms[3];
  MPI_Request requests[3];
  for (int i = 0; i < 3; ++i) MPI_Comm_idup(parent, &comms[i], &requests[i]);
  MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
  for (MPI_Comm& comm : comms) {
    use(comm, "made out of sight");
    MPI_Comm_free(&comm);
  }
}

// A private communicator in an attribute, shared by all copies and freed with the last of them.
struct Private {
  MPI_Comm comm = MPI_COMM_NULL;
  int users = 0;
};

int on_copy_private(MPI_Comm, int, void*, void* in, void* out, int* flag) {
  ++static_cast<Private*>(in)->users;
  *static_cast<void**>(out) = in;
  *flag = 1;
  return MPI_SUCCESS;
}

int on_delete_private(MPI_Comm, int, void* attribute, void*) {
  auto* const it = static_cast<Private*>(attribute);
  use(it->comm, "a private communicator");
  if (--it->users == 0) MPI_Comm_free(&it->comm);
  return MPI_SUCCESS;
}

void private_communicator() {
  int keyval = MPI_KEYVAL_INVALID;
  MPI_Comm_create_keyval(on_copy_private, on_delete_private, &keyval, nullptr);
  Private it;
  MPI_Comm_dup(MPI_COMM_WORLD, &it.comm);
  MPI_Comm first = MPI_COMM_NULL, second = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &first);
  it.users = 1;
  MPI_Comm_set_attr(first, keyval, &it);
  MPI_Comm_dup(first, &second);
  MPI_Comm_free(&first);
  use(second, "a copy that outlives the first");
  MPI_Comm_free(&second);
  verdict.check(it.users == 0 && it.comm == MPI_COMM_NULL, [] { return "the private communicator is left"; });
  MPI_Comm_free_keyval(&keyval);
}

void callbacks(MPI_Comm parent) {
  copied = deleted = 0;
  int keyval = MPI_KEYVAL_INVALID;
  MPI_Comm_create_keyval(on_copy, on_delete, &keyval, nullptr);
  MPI_Comm first = MPI_COMM_NULL, copy = MPI_COMM_NULL, copy_of_copy = MPI_COMM_NULL;
  MPI_Comm_dup(parent, &first);
  MPI_Comm_set_attr(first, keyval, nullptr);  // later than what Xylem has put there
  MPI_Comm_dup(first, &copy);                 // earlier
  MPI_Comm_dup_with_info(copy, MPI_INFO_NULL, &copy_of_copy);
  use(first, "the first");
  use(copy, "its copy");
  use(copy_of_copy, "the copy of its copy");
  MPI_Comm_free(&first);
  unseen(parent);
  use(copy, "the copy that is left");
  MPI_Comm_free(&copy);
  unseen(parent);
  MPI_Comm_set_attr(copy_of_copy, keyval, nullptr);  // deletes the one before
  MPI_Comm_delete_attr(copy_of_copy, keyval);
  use(copy_of_copy, "without the attribute");
  MPI_Comm_free(&copy_of_copy);
  MPI_Comm_free_keyval(&keyval);
  verdict.check(copied == 2 && deleted == 4, [] {
    return "callbacks were called " + std::to_string(copied) + " and " + std::to_string(deleted) + " times, not 2 and 4";
  });
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm part = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? 0 : 1, -rank, &part);
  for (int round = 0; round < 3; ++round) {
    callbacks(MPI_COMM_WORLD);
    callbacks(part);
    private_communicator();
  }
  MPI_Comm_free(&part);
  use(MPI_COMM_WORLD, "the world at the end");
  const int code = verdict.finish("callbacks");
  MPI_Finalize();
  return code;
}

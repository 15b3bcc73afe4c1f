// Correct programs in which a rank inside a collective must look after somebody else's message, and the reverse: each of them
// hangs where a library waits without driving the MPI below, or leaves a collective before its data can reach everybody.
#include <mpi.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "support/verdict.hpp"

using namespace xylem::test;

namespace {

constexpr int rendezvous = 8 << 20;  // bytes; in every MPI too large to be sent before the receiver asks for it
constexpr int tag = 5;

struct World {
  int rank;
  int size;
};

void expect_sum(int got, int size, const char* where, Verdict& verdict) {
  verdict.check(got == size, [&] { return std::string(where) + ": the sum is " + std::to_string(got); });
}

// The last rank sits in MPI_Recv for a large message whose sender, rank 0, has started it and is already in MPI_Allreduce.
void sender_in_allreduce(World world, Verdict& verdict) {
  std::vector<char> message(rendezvous, static_cast<char>(world.rank + 1));
  int one = 1, sum = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  if (world.rank == 0) MPI_Isend(message.data(), rendezvous, MPI_CHAR, world.size - 1, tag, MPI_COMM_WORLD, &request);
  if (world.rank == world.size - 1) {
    usleep(100000);
    MPI_Recv(message.data(), rendezvous, MPI_CHAR, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    verdict.check(message.front() == 1 && message.back() == 1, [] { return "the large message is wrong"; });
  }
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  expect_sum(sum, world.size, "sender in allreduce", verdict);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

// The same with a large collective, and a barrier: the sender waits in the middle of its chunks.
void sender_in_large_collective(World world, Verdict& verdict) {
  std::vector<char> message(rendezvous, 3);
  std::vector<int> ones(1 << 20, 1), sums(1 << 20);
  MPI_Request request = MPI_REQUEST_NULL;
  if (world.rank == world.size - 1) MPI_Isend(message.data(), rendezvous, MPI_CHAR, 0, tag, MPI_COMM_WORLD, &request);
  if (world.rank == 0) MPI_Recv(message.data(), rendezvous, MPI_CHAR, world.size - 1, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Allreduce(ones.data(), sums.data(), 1 << 20, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  expect_sum(sums.front(), world.size, "first element", verdict);
  expect_sum(sums.back(), world.size, "last element", verdict);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
}

// The root returns from MPI_Bcast and then sits in MPI_Recv, for a message that is sent only after the others have the data.
void root_leaves_bcast(World world, int count, Verdict& verdict) {
  std::vector<int> data(static_cast<std::size_t>(count), world.rank == 0 ? count : -1);
  if (world.rank != 0) usleep(50000);
  MPI_Bcast(data.data(), count, MPI_INT, 0, MPI_COMM_WORLD);
  verdict.check(data.front() == count && data.back() == count,
                [&] { return "bcast of " + std::to_string(count) + ": wrong data"; });
  int token = world.rank;
  if (world.rank != 0) {
    MPI_Send(&token, 1, MPI_INT, 0, tag, MPI_COMM_WORLD);
    return;
  }
  for (int from = 1; from < world.size; ++from) MPI_Recv(&token, 1, MPI_INT, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

// A leaf returns from MPI_Reduce and sits in MPI_Recv until the root, which comes late, has its result.
void leaf_leaves_reduce(World world, int count, Verdict& verdict) {
  std::vector<int> ones(static_cast<std::size_t>(count), 1), sums(static_cast<std::size_t>(count));
  if (world.rank == 0) usleep(50000);
  MPI_Reduce(ones.data(), sums.data(), count, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  int token = 0;
  if (world.rank != 0) {
    MPI_Recv(&token, 1, MPI_INT, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return;
  }
  expect_sum(sums.front(), world.size, "reduce", verdict);
  expect_sum(sums.back(), world.size, "reduce", verdict);
  for (int to = 1; to < world.size; ++to) MPI_Send(&token, 1, MPI_INT, to, tag, MPI_COMM_WORLD);
}

// A rank that has left a collective computes for a while (sleeps) without calling MPI; the others must get through.
void everyone_leaves_and_sleeps(World world, Verdict& verdict) {
  for (int sleeper = 0; sleeper < world.size; ++sleeper) {
    std::vector<int> ones(50000, 1), sums(50000);
    MPI_Allreduce(ones.data(), sums.data(), 50000, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (world.rank == sleeper) usleep(20000);
    expect_sum(sums.back(), world.size, "before sleeping", verdict);
  }
}

// The last rank looks for a large message, by each kind of probe, whose sender has started it and sits in a collective.
void sender_is_probed(World world, Verdict& verdict) {
  std::vector<char> message(rendezvous, static_cast<char>(world.rank + 2));
  for (const int kind : {0, 1, 2}) {
    std::vector<int> ones(30000, 1), sums(30000);
    MPI_Request request = MPI_REQUEST_NULL;
    if (world.rank == 0) MPI_Isend(message.data(), rendezvous, MPI_CHAR, world.size - 1, tag, MPI_COMM_WORLD, &request);
    if (world.rank == world.size - 1) {
      MPI_Status status;
      MPI_Message matched = MPI_MESSAGE_NULL;
      int bytes = 0;
      for (int found = 0; kind == 0 && found == 0;) MPI_Iprobe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &found, &status);
      if (kind == 1) MPI_Probe(0, tag, MPI_COMM_WORLD, &status);
      if (kind == 2) MPI_Mprobe(0, MPI_ANY_TAG, MPI_COMM_WORLD, &matched, &status);
      MPI_Get_count(&status, MPI_CHAR, &bytes);
      if (kind == 2)
        MPI_Mrecv(message.data(), rendezvous, MPI_CHAR, &matched, MPI_STATUS_IGNORE);
      else
        MPI_Recv(message.data(), rendezvous, MPI_CHAR, status.MPI_SOURCE, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      verdict.check(bytes == rendezvous && message.front() == 2 && message.back() == 2,
                    [] { return "the message that was looked for is wrong"; });
    }
    MPI_Allreduce(ones.data(), sums.data(), 30000, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    expect_sum(sums.back(), world.size, "the sender is probed", verdict);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

// The last rank puts, gets and adds in the memory of rank 0, which sits in a blocking collective that the last rank joins
// afterwards: a barrier, and one that moves data.
void target_in_collective(World world, Verdict& verdict) {
  std::vector<int> memory(1000, 1), own(1000, 5), got(1000, -1);
  MPI_Win window = MPI_WIN_NULL;
  // Open MPI has no windows between hosts of which it knows TCP only.
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const int made = MPI_Win_create(memory.data(), 1000 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  if (made != MPI_SUCCESS) return;
  MPI_Barrier(MPI_COMM_WORLD);
  for (const bool barrier : {true, false}) {
    if (world.rank == world.size - 1) {
      const int two = 2;
      int before = -1;
      MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
      MPI_Put(own.data(), 999, MPI_INT, 0, 0, 999, MPI_INT, window);
      MPI_Fetch_and_op(&two, &before, MPI_INT, 0, 999, MPI_SUM, window);
      MPI_Win_flush(0, window);
      MPI_Get(got.data(), 1000, MPI_INT, 0, 0, 1000, MPI_INT, window);
      MPI_Win_unlock(0, window);
      const int wanted = barrier ? 1 : 3;
      verdict.check(before == wanted && got.front() == 5 && got.back() == wanted + 2,
                    [&] { return "the target is in a collective: got " + std::to_string(got.back()); });
    }
    std::vector<int> ones(20000, 1), sums(20000, world.size);
    if (barrier)
      MPI_Barrier(MPI_COMM_WORLD);
    else
      MPI_Allreduce(ones.data(), sums.data(), 20000, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    expect_sum(sums.back(), world.size, "the target is in a collective", verdict);
  }
  MPI_Win_free(&window);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  World world{};
  MPI_Comm_rank(MPI_COMM_WORLD, &world.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world.size);
  Verdict verdict;
  if (world.size > 1) {
    sender_in_allreduce(world, verdict);
    sender_in_large_collective(world, verdict);
    sender_is_probed(world, verdict);
    target_in_collective(world, verdict);
    for (int count : {1, 1000, 20000, 1 << 20}) {
      root_leaves_bcast(world, count, verdict);
      leaf_leaves_reduce(world, count, verdict);
    }
  }
  everyone_leaves_and_sleeps(world, verdict);
  const int code = verdict.finish("progress");
  MPI_Finalize();
  return code;
}

// MPI_THREAD_MULTIPLE: several threads of each rank call collectives at once, each on a communicator of its own and on others
// that it makes and frees meanwhile, while one more exchanges messages.
#include <mpi.h>

#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "support/verdict.hpp"

using namespace xylem::test;

namespace {

constexpr int thread_count = 3;

// A communicator that lives for one moment; threads end theirs at any time, so the MPI gives them each other's handles.
int work_on_part(MPI_Comm comm, int thread, int rank) {
  MPI_Comm part = MPI_COMM_NULL;
  MPI_Comm_split(comm, (rank + thread) % 2, -rank, &part);
  int members = 0, one = 1, sum = -1, later = -1;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Comm_size(part, &members);
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, part);
  MPI_Iallreduce(&one, &later, 1, MPI_INT, MPI_SUM, part, &request);
  MPI_Comm_free(&part);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  return sum == members && later == members ? 0 : 1;
}

// Returns the number of wrong results.
int work(MPI_Comm comm, int thread, int rank, int size) {
  int wrong = 0;
  for (int i = 0; i < 60; ++i) {
    const int count = i % 10 == 0 ? 40000 : 1 + i;
    std::vector<int> in(static_cast<std::size_t>(count), rank + thread + i), out(in.size(), -1);
    MPI_Allreduce(in.data(), out.data(), count, MPI_INT, MPI_SUM, comm);
    const int wanted = size * (size - 1) / 2 + size * (thread + i);
    if (out.front() != wanted || out.back() != wanted) ++wrong;
    int value = rank == i % size ? thread * 1000 + i : -1;
    MPI_Bcast(&value, 1, MPI_INT, i % size, comm);
    if (value != thread * 1000 + i) ++wrong;
    if (i % 6 == 0) wrong += work_on_part(comm, thread, rank);
  }
  return wrong;
}

// Messages of all sizes round the ring, the large ones while their sender's other threads are in collectives.
int exchange(MPI_Comm comm, int rank, int size) {
  int wrong = 0;
  for (int i = 0; i < 30; ++i) {
    const int count = i % 5 == 0 ? 300000 : 1 + i;
    std::vector<int> out(static_cast<std::size_t>(count), rank + i), in(out.size(), -1);
    const int next = (rank + 1) % size, previous = (rank + size - 1) % size;
    MPI_Sendrecv(out.data(), count, MPI_INT, next, i, in.data(), count, MPI_INT, previous, i, comm, MPI_STATUS_IGNORE);
    if (in.front() != previous + i || in.back() != previous + i) ++wrong;
  }
  return wrong;
}

}  // namespace

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  Verdict verdict;
  if (provided == MPI_THREAD_MULTIPLE) {
    MPI_Comm comms[thread_count], messages;
    int wrong[thread_count] = {}, wrong_messages = 0;
    MPI_Comm_dup(MPI_COMM_WORLD, &messages);
    std::vector<std::thread> threads;
    for (MPI_Comm& comm : comms) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (int t = 0; t < thread_count; ++t) threads.emplace_back([&, t] { wrong[t] = work(comms[t], t, rank, size); });
    threads.emplace_back([&] { wrong_messages = exchange(messages, rank, size); });
    for (std::thread& thread : threads) thread.join();
    verdict.check(wrong_messages == 0, [&] { return std::to_string(wrong_messages) + " wrong messages"; });
    MPI_Comm_free(&messages);
    for (int t = 0; t < thread_count; ++t) {
      verdict.check(wrong[t] == 0,
                    [&] { return "thread " + std::to_string(t) + ": " + std::to_string(wrong[t]) + " wrong results"; });
      MPI_Comm_free(&comms[t]);
    }
  } else if (rank == 0) {
    std::printf("this MPI offers no MPI_THREAD_MULTIPLE: nothing tested\n");
  }
  const int code = verdict.finish("threads");
  MPI_Finalize();
  return code;
}

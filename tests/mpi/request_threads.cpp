// MPI_THREAD_MULTIPLE: a collective is started by one thread and waited for by another; several threads wait at once, for
// collectives beside messages, while the MPI hands out the same handles again and again.
#include <mpi.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "support/persistent.hpp"
#include "support/verdict.hpp"

using namespace xylem::test;

namespace {

constexpr int thread_count = 3;

struct Place {
  int rank = 0;
  int size = 1;
  MPI_Comm comm = MPI_COMM_NULL;
};

// Another thread waits for what this one has started.
int hand_over(const Place& place, int round) {
  const int value = place.rank + round;
  int sum = -1;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(&value, &sum, 1, MPI_INT, MPI_SUM, place.comm, &request);
  std::thread([&] { MPI_Wait(&request, MPI_STATUS_IGNORE); }).join();
  return sum == place.size * (place.size - 1) / 2 + place.size * round && request == MPI_REQUEST_NULL ? 0 : 1;
}

// A collective, a persistent one, and a message round the ring, completed in a different way each time.
int mixture(const Place& place, MPI_Request& again, const int& again_sum, int round) {
  const int next = (place.rank + 1) % place.size, previous = (place.rank + place.size - 1) % place.size;
  const int value = place.rank * 1000 + round;
  int received = -1, sum = -1;
  std::array<MPI_Request, 4> requests{};
  MPI_Start(&again);
  requests[3] = again;
  MPI_Irecv(&received, 1, MPI_INT, previous, 0, place.comm, &requests[0]);
  MPI_Iallreduce(&round, &sum, 1, MPI_INT, MPI_MAX, place.comm, &requests[1]);
  MPI_Isend(&value, 1, MPI_INT, next, 0, place.comm, &requests[2]);
  int wrong = 0;
  if (round % 3 == 0) {
    MPI_Waitall(4, requests.data(), MPI_STATUSES_IGNORE);
  } else if (round % 3 == 1) {
    std::array<MPI_Status, 4> statuses{};
    for (int flag = 0; flag == 0;) MPI_Testall(4, requests.data(), &flag, statuses.data());
    if (statuses[0].MPI_SOURCE != previous || statuses[0].MPI_TAG != 0) ++wrong;
  } else {
    for (int left = 4; left != 0; --left) {
      int index = -1;
      MPI_Status status;
      MPI_Waitany(4, requests.data(), &index, &status);
      if (index == 0 && status.MPI_SOURCE != previous) ++wrong;
    }
  }
  for (std::size_t i = 0; i < 3; ++i) wrong += requests.at(i) != MPI_REQUEST_NULL ? 1 : 0;
  return wrong + (received == previous * 1000 + round && sum == round && again_sum == place.size ? 0 : 1);
}

int work(const Place& place) {
  static const int one = 1;
  int wrong = 0, sum = 0;
  MPI_Request again = MPI_REQUEST_NULL;
  XYLEM_MPI_INIT(Allreduce)(&one, &sum, 1, MPI_INT, MPI_SUM, place.comm, MPI_INFO_NULL, &again);
  for (int round = 0; round < 60; ++round) {
    sum = -1;
    wrong += mixture(place, again, sum, round);
    if (round % 10 == 0) wrong += hand_over(place, round);
  }
  MPI_Request_free(&again);
  return wrong;
}

// One thread completes collectives, and another one, which has none, makes requests of its own with the handles that this
// sets free.
int reuse_handles() {
  MPI_Comm own = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_SELF, &own);
  std::atomic<bool> ended{false};
  std::thread barriers([&] {
    for (int round = 0; round < 20'000; ++round) {
      MPI_Request request = MPI_REQUEST_NULL;
      MPI_Ibarrier(MPI_COMM_SELF, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    ended = true;
  });
  int wrong = 0;
  for (int round = 0; !ended; ++round) {
    int received = -1;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Recv_init(&received, 1, MPI_INT, 0, 0, own, &request);
    MPI_Start(&request);
    MPI_Send(&round, 1, MPI_INT, 0, 0, own);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    wrong += received == round ? 0 : 1;
  }
  barriers.join();
  MPI_Comm_free(&own);
  return wrong;
}

}  // namespace

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  std::array<Place, thread_count> places;
  std::array<int, thread_count> wrong{};
  Verdict verdict;
  if (provided == MPI_THREAD_MULTIPLE) {
    for (Place& place : places) {
      MPI_Comm_rank(MPI_COMM_WORLD, &place.rank);
      MPI_Comm_size(MPI_COMM_WORLD, &place.size);
      MPI_Comm_dup(MPI_COMM_WORLD, &place.comm);
    }
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < thread_count; ++t) threads.emplace_back([&, t] { wrong.at(t) = work(places.at(t)); });
    for (std::thread& thread : threads) thread.join();
    for (std::size_t t = 0; t < thread_count; ++t) {
      verdict.check(wrong.at(t) == 0,
                    [&] { return "thread " + std::to_string(t) + ": " + std::to_string(wrong.at(t)) + " wrong results"; });
      MPI_Comm_free(&places.at(t).comm);
    }
    const int wrong_messages = reuse_handles();
    verdict.check(wrong_messages == 0, [&] { return std::to_string(wrong_messages) + " wrong messages beside barriers"; });
  } else {
    std::printf("this MPI offers no MPI_THREAD_MULTIPLE: nothing tested\n");
  }
  const int code = verdict.finish("request_threads");
  MPI_Finalize();
  return code;
}

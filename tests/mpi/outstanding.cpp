// Many nonblocking and persistent collectives outstanding at once: 1,000 on one communicator, completed in any order; some on
// each of several communicators, started in another order on every rank; persistent
// ones, all started at once, in another order on every rank too.
#include <mpi.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "support/persistent.hpp"
#include "support/verdict.hpp"

using namespace xylem::test;

namespace {

constexpr std::size_t many = 1000;

// Collective number `i` sums some elements that all are value + i.
struct Sums {
  Sums(std::size_t calls, int elements, int value)
      : length(static_cast<std::size_t>(elements)),
        in(calls * length),
        out(in.size(), -1),
        requests(calls, MPI_REQUEST_NULL) {
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = value + static_cast<int>(i / length);
  }

  void start(std::size_t i, MPI_Comm comm) {
    MPI_Iallreduce(&in[i * length], &out[i * length], static_cast<int>(length), MPI_INT, MPI_SUM, comm, &requests[i]);
  }
  void init(std::size_t i, MPI_Comm comm) {
    XYLEM_MPI_INIT(Allreduce)
    (&in[i * length], &out[i * length], static_cast<int>(length), MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &requests[i]);
  }
  int count() const { return static_cast<int>(requests.size()); }

  bool right(int ranks) const {
    for (std::size_t i = 0; i < out.size(); ++i)
      if (out[i] != ranks * (ranks - 1) / 2 + ranks * static_cast<int>(i / length)) return false;
    return true;
  }

  std::size_t length;
  std::vector<int> in, out;
  std::vector<MPI_Request> requests;
};

std::vector<std::size_t> shuffled(std::size_t n, unsigned seed) {
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::shuffle(order.begin(), order.end(), std::minstd_rand(seed));
  return order;
}

void complete_all(Sums& sums, int) { MPI_Waitall(sums.count(), sums.requests.data(), MPI_STATUSES_IGNORE); }

// In an order of each rank's own.
void complete_each(Sums& sums, int rank) {
  for (const std::size_t i : shuffled(sums.requests.size(), static_cast<unsigned>(rank) + 1))
    MPI_Wait(&sums.requests[i], MPI_STATUS_IGNORE);
}

void complete_any(Sums& sums, int) {
  std::reverse(sums.requests.begin(), sums.requests.end());
  int index = 0;
  while (index != MPI_UNDEFINED) MPI_Waitany(sums.count(), sums.requests.data(), &index, MPI_STATUS_IGNORE);
}

void complete_some(Sums& sums, int) {
  std::vector<int> indices(sums.requests.size());
  int completed = 0;
  while (completed != MPI_UNDEFINED)
    MPI_Waitsome(sums.count(), sums.requests.data(), &completed, indices.data(), MPI_STATUSES_IGNORE);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  std::vector<MPI_Comm> comms(8, MPI_COMM_NULL);
  for (MPI_Comm& comm : comms) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  Verdict verdict;

  for (const auto complete : {complete_all, complete_each, complete_any, complete_some}) {
    Sums sums(many, 3, rank);
    for (std::size_t i = 0; i < many; ++i) sums.start(i, MPI_COMM_WORLD);
    complete(sums, rank);
    verdict.check(sums.right(size), [] { return "1,000 on one communicator: wrong sums"; });
  }

  // Every rank goes through the communicators in an order of its own, and ends its calls in the order in which it began them.
  for (unsigned round = 0; round < 10; ++round) {
    Sums sums(4 * comms.size(), 5000, rank);
    const std::vector<std::size_t> order = shuffled(comms.size(), round * 100 + static_cast<unsigned>(rank) + 1);
    for (std::size_t turn = 0; turn < 4; ++turn)
      for (const std::size_t c : order) sums.start(c * 4 + turn, comms[c]);
    for (const std::size_t c : order) MPI_Wait(&sums.requests[c * 4 + 3], MPI_STATUS_IGNORE);
    complete_all(sums, rank);
    verdict.check(sums.right(size), [] { return "several communicators in different orders: wrong sums"; });
  }

  Sums again(200, 7, rank);
  for (std::size_t i = 0; i < 200; ++i) again.init(i, comms[i % comms.size()]);
  for (unsigned round = 0; round < 3; ++round) {
    std::fill(again.out.begin(), again.out.end(), -1);
    if (round == 0) {
      MPI_Startall(again.count(), again.requests.data());
    } else {
      // Unlike nonblocking ones they may be started in another order on every rank, on one communicator too.
      for (const std::size_t i : shuffled(200, round * 100 + static_cast<unsigned>(rank))) MPI_Start(&again.requests[i]);
    }
    complete_all(again, rank);
    verdict.check(again.right(size), [] { return "persistent, all at once: wrong sums"; });
  }
  for (MPI_Request& request : again.requests) MPI_Request_free(&request);

  for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
  const int code = verdict.finish("outstanding");
  MPI_Finalize();
  return code;
}

#include "bench/polite_group.hpp"

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

namespace xylem::tools {
namespace {

constexpr int tag = 0, wake_tag = 1;
constexpr std::chrono::milliseconds nap(1);

}  // namespace

PoliteGroup::PoliteGroup(MPI_Comm comm) {
  MPI_Comm_dup(comm, &comm_);
  MPI_Comm_rank(comm_, &rank_);
  MPI_Comm_size(comm_, &size_);
}

PoliteGroup::~PoliteGroup() { MPI_Comm_free(&comm_); }

double PoliteGroup::largest(double value) const {
  for (int distance = 1; distance < size_; distance *= 2) {
    MPI_Request requests[2];
    MPI_Status statuses[2];
    double other = 0;
    MPI_Irecv(&other, 1, MPI_DOUBLE, (rank_ + size_ - distance) % size_, tag, comm_, &requests[0]);
    MPI_Isend(&value, 1, MPI_DOUBLE, (rank_ + distance) % size_, tag, comm_, &requests[1]);
    for (int done = 0;;) {
      MPI_Testall(2, requests, &done, statuses);
      if (done) break;
      sched_yield();
    }
    value = std::max(value, other);
  }
  return value;
}

void PoliteGroup::await_first() const {
  if (rank_ == 0) {
    std::vector<MPI_Request> requests(static_cast<std::size_t>(size_) - 1);
    for (int to = 1; to < size_; ++to)
      MPI_Isend(nullptr, 0, MPI_BYTE, to, wake_tag, comm_, &requests[static_cast<std::size_t>(to) - 1]);
    MPI_Waitall(size_ - 1, requests.data(), MPI_STATUSES_IGNORE);
    return;
  }
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Irecv(nullptr, 0, MPI_BYTE, 0, wake_tag, comm_, &request);
  for (int done = 0;;) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done) break;
    std::this_thread::sleep_for(nap);
  }
}

}  // namespace xylem::tools

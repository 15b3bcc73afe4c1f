#include "bench/polite_group.hpp"

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

namespace xylem::tools {
namespace {

constexpr int tag = 0, wake_tag = 1;
// Between two looks: short at first, so that a round with a peer ends soon, then long.
constexpr std::chrono::microseconds first_nap(200), longest_nap(1000);

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

std::string PoliteGroup::hear_from_first(const std::string& text) const {
  if (rank_ == 0) {
    std::vector<MPI_Request> requests(static_cast<std::size_t>(size_) - 1);
    for (int to = 1; to < size_; ++to)
      MPI_Isend(text.data(), static_cast<int>(text.size()), MPI_CHAR, to, wake_tag, comm_,
                &requests[static_cast<std::size_t>(to) - 1]);
    MPI_Waitall(size_ - 1, requests.data(), MPI_STATUSES_IGNORE);
    return text;
  }
  MPI_Status status;
  int here = 0;
  for (auto nap = first_nap;; nap = std::min(nap * 5 / 4, longest_nap)) {
    MPI_Iprobe(0, wake_tag, comm_, &here, &status);
    if (here) break;
    std::this_thread::sleep_for(nap);
  }
  int length = 0;
  MPI_Get_count(&status, MPI_CHAR, &length);
  std::string heard(static_cast<std::size_t>(length), '\0');
  MPI_Recv(heard.data(), length, MPI_CHAR, 0, wake_tag, comm_, MPI_STATUS_IGNORE);
  return heard;
}

}  // namespace xylem::tools

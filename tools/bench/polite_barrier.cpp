#include "bench/polite_barrier.hpp"

#include <sched.h>

namespace xylem::tools {

PoliteBarrier::PoliteBarrier(MPI_Comm comm) {
  MPI_Comm_dup(comm, &comm_);
  MPI_Comm_rank(comm_, &rank_);
  MPI_Comm_size(comm_, &size_);
}

PoliteBarrier::~PoliteBarrier() { MPI_Comm_free(&comm_); }

void PoliteBarrier::wait() const {
  for (int distance = 1; distance < size_; distance *= 2) {
    MPI_Request requests[2];
    MPI_Status statuses[2];
    MPI_Irecv(nullptr, 0, MPI_BYTE, (rank_ + size_ - distance) % size_, 0, comm_, &requests[0]);
    MPI_Isend(nullptr, 0, MPI_BYTE, (rank_ + distance) % size_, 0, comm_, &requests[1]);
    for (int done = 0;;) {
      MPI_Testall(2, requests, &done, statuses);
      if (done) break;
      sched_yield();
    }
  }
}

}  // namespace xylem::tools

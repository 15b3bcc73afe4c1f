// A barrier of a known kind, the same before every timed call of either side: dissemination by point-to-point messages,
// yielding the core while it waits. The MPI's own barrier would not do: on a machine with more ranks than cores a rank that
// still spins in it would keep the core from one that is already being timed.
#pragma once

#include <mpi.h>

namespace xylem::tools {

class PoliteBarrier {
 public:
  explicit PoliteBarrier(MPI_Comm comm);
  ~PoliteBarrier();
  PoliteBarrier(const PoliteBarrier&) = delete;
  PoliteBarrier& operator=(const PoliteBarrier&) = delete;

  void wait() const;

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 1;
};

}  // namespace xylem::tools

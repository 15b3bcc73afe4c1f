// What ranks say to each other between measurements: dissemination by point-to-point messages, yielding the core while they
// wait. It is the same before every timed call of either side. The MPI's own barrier would not do: on a machine with more
// ranks than cores a rank that still spins in it would keep the core from one that is already being timed.
#pragma once

#include <mpi.h>

#include <string>

namespace xylem::tools {

class PoliteGroup {
 public:
  explicit PoliteGroup(MPI_Comm comm);
  ~PoliteGroup();
  PoliteGroup(const PoliteGroup&) = delete;
  PoliteGroup& operator=(const PoliteGroup&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }

  void barrier() const { largest(0); }
  // The largest of the values that the ranks give, on every rank.
  double largest(double value) const;

  // Waits, asleep most of the time, until rank 0 has come.
  void await_first() const { hear_from_first(""); }
  // The same; returns what rank 0 brings.
  std::string hear_from_first(const std::string& text) const;

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 1;
};

}  // namespace xylem::tools

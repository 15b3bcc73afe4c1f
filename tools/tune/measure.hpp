// Times the ways to run a call, in turns.
#pragma once

#include <mpi.h>

#include <functional>
#include <vector>

#include "bench/polite_group.hpp"
#include "tune/selection.hpp"
#include "tune/trial.hpp"

namespace xylem::tools {

class TuneBench {
 public:
  // `mpi_comm` has the same ranks as `comm`.
  TuneBench(MPI_Comm mpi_comm, Communicator& comm, int rounds)
      : mpi_(mpi_comm), comm_(comm), group_(mpi_comm), rounds_(rounds) {}

  // Fills in the times of the contenders, in seconds of a call on the slowest rank: the same on all ranks. Those that are
  // hopeless after a few rounds are left out. Collective. `progress(fraction)` is called between rounds.
  void measure(coll::Collective collective, std::size_t bytes, std::vector<Contender>& contenders,
               const std::function<void(double)>& progress);

 private:
  double time_batch(Trial& trial, const Contender& contender, coll::Collective collective, int calls);
  double slowest(double seconds) const;
  void drop_hopeless(std::vector<Contender>& contenders, std::vector<int>& batches) const;

  MPI_Comm mpi_;
  Communicator& comm_;
  PoliteGroup group_;
  int rounds_;
  unsigned next_call_ = 0;
};

}  // namespace xylem::tools

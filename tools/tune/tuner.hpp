// Finds the rules for one collective on one communicator.
#pragma once

#include <string>
#include <vector>

#include "bench/progress_line.hpp"
#include "tune/measure.hpp"

namespace xylem::tools {

// A size, and what was found there.
struct TunedLine {
  TunedSize chosen;
  double seconds;          // of what was chosen
  double planned_seconds;  // of what the plan takes without rules
  bool noisy;              // the times of what was chosen are far apart
};

class Tuner {
 public:
  Tuner(MPI_Comm mpi_comm, Communicator& comm, int rounds, ProgressLine& progress)
      : bench_(mpi_comm, comm, rounds), comm_(comm), progress_(progress) {}

  // `sizes` rise. Collective; the same on all ranks.
  std::vector<TunedLine> tune(coll::Collective collective, const std::vector<std::size_t>& sizes);

 private:
  TunedLine tune_size(coll::Collective collective, std::size_t bytes, const TunedSize* before);
  std::vector<Contender> algorithms_for(coll::Collective collective, std::size_t bytes);
  std::vector<Contender> chunks_for(coll::Collective collective, std::size_t bytes, const Contender& of,
                                    const TunedSize* before);

  TuneBench bench_;
  Communicator& comm_;
  ProgressLine& progress_;
};

}  // namespace xylem::tools

// Times one collective on both sides, round by round in turn: whatever slows the machine down for a while meets both.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "bench/collective_call.hpp"
#include "bench/polite_barrier.hpp"

namespace xylem::tools {

inline constexpr std::array<const char*, 2> side_names = {"xylem", "mpi"};

struct Sample {
  std::vector<double> seconds;  // per call, on the slowest rank, of each round
  int batch = 1;                // calls in a row that one round times; a round's figure is their mean
  long wrong_calls = 0;         // on all ranks, results that were not exact
};

struct Measurement {
  std::array<Sample, side_names.size()> sides;
};

struct Effort {
  double min_seconds;  // measured time of both sides together
  int rounds;          // 0: as many as min_seconds asks for
};

class Bench {
 public:
  // `calls`: Xylem's and the MPI's, as in side_names. The MPI's also carry what the benchmark itself must say between ranks.
  Bench(MPI_Comm comm, const std::array<Calls, side_names.size()>& calls);

  // Collective. `progress(fraction)` is called between rounds.
  Measurement measure(const CollectiveCall& call, const Effort& effort, const std::function<void(double)>& progress);

 private:
  struct Batch {
    double seconds;  // of all its calls, on this rank
    long wrong;
  };

  Batch run_batch(const CollectiveCall& call, const Calls& calls, const class BufferPool& pool, int length);
  double slowest(double seconds) const;

  MPI_Comm comm_;
  std::array<Calls, side_names.size()> calls_;
  PoliteBarrier barrier_;
  unsigned next_call_ = 0;
};

}  // namespace xylem::tools

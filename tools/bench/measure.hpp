// Times one collective on all sides, round by round in turn: whatever slows the machine down for a while meets all of them.
#pragma once

#include <functional>
#include <vector>

#include "bench/collective_call.hpp"
#include "bench/options.hpp"
#include "bench/polite_group.hpp"
#include "bench/record.hpp"

namespace xylem::tools {

class Bench {
 public:
  // `sides`: Xylem's calls and the MPI's. The MPI's also carry what the benchmark itself must say between ranks.
  Bench(MPI_Comm comm, std::vector<Calls> sides, const BenchEffort& effort);

  // Collective. `progress(fraction)` is called between rounds. What is in the row of the kind of call is left alone.
  void measure(const CollectiveCall& call, const std::function<void(double)>& progress, Row& row);

 private:
  // What a rank notes of a round.
  struct Batch {
    double seconds;  // of all its calls
    double begin, end;
    double cpu_seconds;
    long wrong;
  };
  struct Notes;

  Batch run_batch(const CollectiveCall& call, const Calls& calls, const class BufferPool& pool, int length,
                  std::vector<double>* each);
  void arrive_late(unsigned number) const;
  SideResult gather(const Notes& notes) const;
  std::vector<double> on_all(const std::vector<double>& mine, MPI_Op op) const;

  MPI_Comm comm_;
  std::vector<Calls> sides_;
  BenchEffort effort_;
  PoliteGroup group_;
  std::vector<std::byte> evicting_;  // read before each round if caches shall be cold
  unsigned next_call_ = 0;
};

}  // namespace xylem::tools

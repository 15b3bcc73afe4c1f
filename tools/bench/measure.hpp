// Times one collective on all sides, round by round in turn: whatever slows the machine down for a while meets all of them.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "bench/peer/process.hpp"
#include "bench/rounds.hpp"

namespace xylem::tools {

class Bench {
 public:
  // `sides`: Xylem's calls and the MPI's. The MPI's also carry what the benchmark itself must say between ranks. `peers`:
  // jobs of rank 0 that are further sides; how many is said on all ranks.
  Bench(MPI_Comm comm, const PoliteGroup& group, std::vector<Calls> sides, const BenchEffort& effort,
        std::vector<std::unique_ptr<PeerProcess>> peers);

  // Collective. `progress(fraction)` is called between rounds. What is in the row of the kind of call is left alone. Results
  // of peers are known on rank 0.
  void measure(const CallKind& kind, const CollectiveCall& call, const std::function<void(double)>& progress, Row& row);

  std::size_t peers() const { return peers_.size(); }

 private:
  struct Side;

  double run_round(const CollectiveCall& call, const BufferPool& pool, Side& side, bool counts);
  double with_peer(const std::function<double(PeerProcess&)>& talk, std::size_t peer);
  double find_batch(const CollectiveCall& call, const BufferPool& pool, Side& side, double share);

  const PoliteGroup& group_;
  std::vector<Calls> calls_;
  BenchEffort effort_;
  Rounds rounds_;
  std::vector<std::unique_ptr<PeerProcess>> peers_;  // null on all ranks but the first
};

}  // namespace xylem::tools

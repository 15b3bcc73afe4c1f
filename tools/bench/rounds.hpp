// One side's calls in rounds: what each rank times, and what all ranks together make of it.
#pragma once

#include <optional>
#include <vector>

#include "bench/buffer_pool.hpp"
#include "bench/collective_call.hpp"
#include "bench/options.hpp"
#include "bench/polite_group.hpp"
#include "bench/record.hpp"

namespace xylem::tools {

// What a rank noted of its rounds on one side.
struct Notes {
  int batch = 1;  // calls in a row that one round times
  std::vector<double> seconds, begins, ends, each_call;
  double cpu_seconds = 0;
  long wrong = 0;
};

class Rounds {
 public:
  // `own`: the calls that carry what the benchmark itself must say between ranks.
  Rounds(MPI_Comm comm, const PoliteGroup& group, const Calls& own, const BenchEffort& effort);

  // Collective: a round of `notes.batch` calls. Returns this rank's seconds for all of them; `counts`: they are noted, too.
  double run(const CollectiveCall& call, const Calls& calls, const BufferPool& pool, Notes& notes, bool counts);

  // Collective: what has been noted, on the slowest rank.
  SideResult gather(const Notes& notes) const;

 private:
  void arrive_late(unsigned number) const;
  std::vector<double> on_all(const std::vector<double>& mine, MPI_Op op) const;

  MPI_Comm comm_;
  const PoliteGroup& group_;
  Calls own_;
  BenchEffort effort_;
  std::vector<std::byte> evicting_;  // read before each round if caches shall be cold
  unsigned next_call_ = 0;
};

// Why a kind of call is not measured in a job of so many ranks, if it is not: MPI cannot say it. Else nothing.
std::optional<std::string> too_long_for_mpi(const CallKind& kind, std::size_t ranks);

}  // namespace xylem::tools

#include "bench/measure.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "bench/buffer_pool.hpp"
#include "samples.hpp"

namespace xylem::tools {
namespace {

using Clock = std::chrono::steady_clock;

// Long enough that reading the clock, and ranks that leave the barrier at slightly different times, do not count.
constexpr double batch_seconds = 100e-6;
constexpr int trial_calls = 9;
constexpr int least_rounds = 7;
constexpr int most_rounds = 2000;

int clamp_round(double value, int least, int most) {
  return static_cast<int>(std::clamp(std::ceil(value), static_cast<double>(least), static_cast<double>(most)));
}

}  // namespace

Bench::Bench(MPI_Comm comm, const std::array<Calls, side_names.size()>& calls) : comm_(comm), calls_(calls), barrier_(comm) {}

double Bench::slowest(double seconds) const {
  double most = 0;
  calls_.back().allreduce(&seconds, &most, 1, MPI_DOUBLE, MPI_MAX, comm_);
  return most;
}

Bench::Batch Bench::run_batch(const CollectiveCall& call, const Calls& calls, const BufferPool& pool, int length) {
  const unsigned first = next_call_;
  next_call_ += static_cast<unsigned>(length);
  for (unsigned number = first; number != next_call_; ++number) call.prepare(pool[number], number);

  barrier_.wait();
  const auto begin = Clock::now();
  for (unsigned number = first; number != next_call_; ++number) call.run(calls, pool[number], number);
  const std::chrono::duration<double> taken = Clock::now() - begin;

  long wrong = 0;
  for (unsigned number = first; number != next_call_; ++number) wrong += call.check(pool[number], number) ? 1 : 0;
  return {taken.count(), wrong};
}

Measurement Bench::measure(const CollectiveCall& call, const Effort& effort, const std::function<void(double)>& progress) {
  const BufferPool pool(call.send_bytes(), call.receive_bytes());
  Measurement result;

  // A few single calls tell how many make a batch; the ranks agree, for a batch must be the same on all.
  double round_seconds = 0;
  for (std::size_t side = 0; side < calls_.size(); ++side) {
    std::vector<double> trials;
    for (int i = 0; i < trial_calls; ++i) trials.push_back(slowest(run_batch(call, calls_[side], pool, 1).seconds));
    // The length comes from the faster ones of these calls: on a busy machine the others tell how long a rank had no core.
    const double undisturbed = std::max(percentile(trials, 0.25), 1e-9);
    result.sides[side].batch = clamp_round(batch_seconds / undisturbed, 1, static_cast<int>(pool.size()));
    round_seconds += percentile(trials, 0.5) * result.sides[side].batch;
  }
  const int rounds = effort.rounds > 0
                         ? effort.rounds
                         : clamp_round(effort.min_seconds / std::max(round_seconds, 1e-9), least_rounds, most_rounds);

  for (int round = -1; round < rounds; ++round) {  // round -1 warms up
    for (std::size_t turn = 0; turn < calls_.size(); ++turn) {
      // Who goes first alternates: the second finds the pool's memory as the first left it.
      const std::size_t side = (turn + static_cast<std::size_t>(round + 1)) % calls_.size();
      Sample& sample = result.sides[side];
      const Batch batch = run_batch(call, calls_[side], pool, sample.batch);
      sample.wrong_calls += batch.wrong;
      if (round >= 0) sample.seconds.push_back(batch.seconds / sample.batch);
    }
    progress(static_cast<double>(round + 1) / rounds);
  }

  for (Sample& sample : result.sides) {
    const Calls& mpi = calls_.back();
    std::vector<double> mine = sample.seconds;
    mpi.allreduce(mine.data(), sample.seconds.data(), static_cast<int>(mine.size()), MPI_DOUBLE, MPI_MAX, comm_);
    const long wrong = sample.wrong_calls;
    mpi.allreduce(&wrong, &sample.wrong_calls, 1, MPI_LONG, MPI_SUM, comm_);
  }
  return result;
}

}  // namespace xylem::tools

#include "tune/measure.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "samples.hpp"

namespace xylem::tools {
namespace {

// Long enough that reading the clock, and ranks that leave the barrier at slightly different times, do not count.
constexpr double batch_seconds = 200e-6;
constexpr int most_calls = 200;
constexpr int rounds_before_dropping = 3;
constexpr double hopeless = 3;  // times the best

}  // namespace

double TuneBench::slowest(double seconds) const {
  double most = 0;
  MPI_Allreduce(&seconds, &most, 1, MPI_DOUBLE, MPI_MAX, mpi_);
  return most;
}

double TuneBench::time_batch(Trial& trial, const Contender& contender, coll::Collective collective, int calls) {
  comm_.force(plan::print_rule({collective, {}, {}, {}, contender.algorithm, contender.chunk_bytes}));
  trial.run(next_call_++);  // plans, and connects what is not connected yet
  group_.barrier();
  const auto begin = std::chrono::steady_clock::now();
  for (int call = 0; call < calls; ++call) trial.run(next_call_++);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  return slowest(taken.count()) / calls;
}

void TuneBench::drop_hopeless(std::vector<Contender>& contenders, std::vector<int>& batches) const {
  double best = INFINITY;
  for (const Contender& contender : contenders) best = std::min(best, percentile(contender.seconds, 0.5));
  for (std::size_t i = contenders.size(); i-- > 0;) {
    if (percentile(contenders[i].seconds, 0) <= hopeless * best) continue;
    contenders.erase(contenders.begin() + static_cast<std::ptrdiff_t>(i));
    batches.erase(batches.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

void TuneBench::measure(coll::Collective collective, std::size_t bytes, std::vector<Contender>& contenders,
                        const std::function<void(double)>& progress) {
  Trial trial(comm_, collective, bytes);
  std::vector<int> batches;
  for (const Contender& contender : contenders) {
    time_batch(trial, contender, collective, 1);
    const double once = std::max(time_batch(trial, contender, collective, 1), 1e-9);
    batches.push_back(static_cast<int>(std::clamp(std::ceil(batch_seconds / once), 1.0, static_cast<double>(most_calls))));
  }
  for (int round = 0; round < rounds_; ++round) {
    if (round == rounds_before_dropping) drop_hopeless(contenders, batches);
    // Who goes first moves on: nobody always comes after the same other.
    for (std::size_t turn = 0; turn < contenders.size(); ++turn) {
      const std::size_t at = (turn + static_cast<std::size_t>(round)) % contenders.size();
      contenders[at].seconds.push_back(time_batch(trial, contenders[at], collective, batches[at]));
    }
    progress(static_cast<double>(round + 1) / rounds_);
  }
}

}  // namespace xylem::tools

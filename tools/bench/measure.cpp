#include "bench/measure.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "bench/buffer_pool.hpp"
#include "bench/stopwatch.hpp"
#include "samples.hpp"

namespace xylem::tools {
namespace {

// Long enough that reading the clock, and ranks that leave the barrier at slightly different times, do not count.
constexpr double batch_seconds = 100e-6;
constexpr int trial_calls = 9;
constexpr int least_rounds = 7;
constexpr int most_rounds = 2000;
constexpr double trial_part = 0.3;  // of the time that a line may take

int clamp_round(double value, int least, int most) {
  return static_cast<int>(std::clamp(std::ceil(value), static_cast<double>(least), static_cast<double>(most)));
}

std::size_t cache_bytes() {
  constexpr long usual = 32 << 20;
  const long known = sysconf(_SC_LEVEL3_CACHE_SIZE);
  return static_cast<std::size_t>(known > 0 ? known : usual);
}

}  // namespace

// What a rank noted of one side.
struct Bench::Notes {
  int batch = 1;  // calls in a row that one round times
  std::vector<double> seconds, begins, ends, each_call;
  double cpu_seconds = 0;
  long wrong = 0;
};

Bench::Bench(MPI_Comm comm, std::vector<Calls> sides, const BenchEffort& effort)
    : comm_(comm),
      sides_(std::move(sides)),
      effort_(effort),
      group_(comm),
      evicting_(effort.buffers == BufferState::cold ? cache_bytes() : 0, std::byte{1}) {}

// Late by a part of the allowed time that differs from rank to rank and call to call, and not from run to run.
void Bench::arrive_late(unsigned number) const {
  constexpr std::uint32_t mix = 2654435761U, parts = 1000;
  const std::uint32_t scattered = (number * 31U + static_cast<std::uint32_t>(group_.rank()) + 1U) * mix;
  const double until = monotonic_seconds() + effort_.skew_seconds * static_cast<double>(scattered % parts) / parts;
  while (monotonic_seconds() < until) continue;  // as a rank that computes
}

Bench::Batch Bench::run_batch(const CollectiveCall& call, const Calls& calls, const BufferPool& pool, int length,
                              std::vector<double>* each) {
  const unsigned first = next_call_;
  next_call_ += static_cast<unsigned>(length);
  for (unsigned number = first; number != next_call_; ++number) call.prepare(pool[number], number);
  if (std::accumulate(evicting_.begin(), evicting_.end(), 0U,
                      [](unsigned sum, std::byte value) { return sum + static_cast<unsigned>(value); }) != evicting_.size())
    throw std::logic_error("the memory that shall fill the caches has changed");

  group_.barrier();
  if (effort_.skew_seconds > 0) arrive_late(first);
  const double cpu_before = clock_seconds(CLOCK_PROCESS_CPUTIME_ID);
  const double begin = monotonic_seconds();
  double last = begin;
  for (unsigned number = first; number != next_call_; ++number) {
    call.run(calls, pool[number], number);
    if (each == nullptr) continue;
    const double after = monotonic_seconds();
    each->push_back(after - last);
    last = after;
  }
  const double end = monotonic_seconds();
  const double cpu = clock_seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu_before;

  long wrong = 0;
  for (unsigned number = first; number != next_call_; ++number) wrong += call.check(pool[number], number) ? 1 : 0;
  return {end - begin, begin, end, cpu, wrong};
}

void Bench::measure(const CollectiveCall& call, const std::function<void(double)>& progress, Row& row) {
  const BufferPool pool(call.send_bytes(), call.receive_bytes(), effort_.buffers == BufferState::warm);
  const double start = monotonic_seconds();
  // The ranks agree, for they must stop together.
  const auto elapsed = [&] { return group_.largest(monotonic_seconds() - start); };
  std::vector<Notes> notes(sides_.size());

  // A few single calls tell how many make a batch.
  double round_seconds = 0;
  for (std::size_t side = 0; side < sides_.size(); ++side) {
    std::vector<double> trials;
    const double share = effort_.line_seconds * trial_part / static_cast<double>(sides_.size());
    do {
      trials.push_back(group_.largest(run_batch(call, sides_[side], pool, 1, nullptr).seconds));
    } while (trials.size() < trial_calls && std::accumulate(trials.begin(), trials.end(), 0.0) < share);
    // The length comes from the faster ones of these calls: on a busy machine the others tell how long a rank had no core.
    const double undisturbed = std::max(percentile(trials, 0.25), 1e-9);
    const bool single = effort_.skew_seconds > 0;  // of calls in a row only the first would find ranks that come late
    notes[side].batch = single ? 1 : clamp_round(batch_seconds / undisturbed, 1, static_cast<int>(pool.size()));
    round_seconds += percentile(trials, 0.5) * notes[side].batch;
  }
  const int rounds = effort_.rounds > 0
                         ? effort_.rounds
                         : clamp_round(effort_.min_seconds / std::max(round_seconds, 1e-9), least_rounds, most_rounds);

  // To agree takes time, too: not after rounds that are much shorter than what the line may take.
  constexpr double looks = 32;
  const int look_every = clamp_round(effort_.line_seconds / looks / std::max(round_seconds, 1e-9), 1, most_rounds / 100);
  const bool warms_up = elapsed() + 2 * round_seconds < effort_.line_seconds;
  for (int round = warms_up ? -1 : 0; round < rounds; ++round) {
    if (round > 0 && round % look_every == 0 && elapsed() > effort_.line_seconds) {
      row.cut_short = true;
      break;
    }
    for (std::size_t turn = 0; turn < sides_.size(); ++turn) {
      // Who goes first alternates: the second finds the pool's memory as the first left it.
      const std::size_t side = (turn + static_cast<std::size_t>(round + 1)) % sides_.size();
      Notes& noted = notes[side];
      const bool counts = round >= 0;
      const Batch batch =
          run_batch(call, sides_[side], pool, noted.batch, effort_.histogram && counts ? &noted.each_call : nullptr);
      noted.wrong += batch.wrong;
      if (!counts) continue;
      noted.seconds.push_back(batch.seconds / noted.batch);
      noted.begins.push_back(batch.begin);
      noted.ends.push_back(batch.end);
      noted.cpu_seconds += batch.cpu_seconds;
    }
    progress(static_cast<double>(round + 1) / rounds);
  }
  row.sides.clear();
  for (const Notes& noted : notes) row.sides.push_back(gather(noted));
}

std::vector<double> Bench::on_all(const std::vector<double>& mine, MPI_Op op) const {
  std::vector<double> all(mine.size());
  sides_.back().allreduce(mine.data(), all.data(), static_cast<int>(mine.size()), MPI_DOUBLE, op, comm_);
  return all;
}

SideResult Bench::gather(const Notes& notes) const {
  SideResult result;
  result.batch = notes.batch;
  result.seconds = on_all(notes.seconds, MPI_MAX);
  if (effort_.skew_seconds > 0) {
    // From the moment when all had come: what ranks wait for those who come late is no fault of the call.
    const std::vector<double> begins = on_all(notes.begins, MPI_MAX), ends = on_all(notes.ends, MPI_MAX);
    std::transform(ends.begin(), ends.end(), begins.begin(), result.seconds.begin(), std::minus<>());
  }
  for (const double seconds : on_all(notes.each_call, MPI_MAX)) result.calls.add(seconds);
  const double calls = static_cast<double>(notes.seconds.size()) * notes.batch;
  const std::vector<double> sums = on_all({notes.cpu_seconds / calls, static_cast<double>(notes.wrong)}, MPI_SUM);
  result.cpu_seconds = sums[0];
  result.wrong_calls = std::lround(sums[1]);
  return result;
}

}  // namespace xylem::tools

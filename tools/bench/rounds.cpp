#include "bench/rounds.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "bench/stopwatch.hpp"

namespace xylem::tools {
namespace {

std::size_t cache_bytes() {
  constexpr long usual = 32 << 20;
  const long known = sysconf(_SC_LEVEL3_CACHE_SIZE);
  return static_cast<std::size_t>(known > 0 ? known : usual);
}

}  // namespace

Rounds::Rounds(MPI_Comm comm, const PoliteGroup& group, const Calls& own, const BenchEffort& effort)
    : comm_(comm),
      group_(group),
      own_(own),
      effort_(effort),
      evicting_(effort.buffers == BufferState::cold ? cache_bytes() : 0, std::byte{1}) {}

// Late by a part of the allowed time that differs from rank to rank and call to call, and not from run to run.
void Rounds::arrive_late(unsigned number) const {
  constexpr std::uint32_t mix = 2654435761U, parts = 1000;
  const std::uint32_t scattered = (number * 31U + static_cast<std::uint32_t>(group_.rank()) + 1U) * mix;
  const double until = monotonic_seconds() + effort_.skew_seconds * static_cast<double>(scattered % parts) / parts;
  while (monotonic_seconds() < until) continue;  // as a rank that computes
}

double Rounds::run(const CollectiveCall& call, const Calls& calls, const BufferPool& pool, Notes& notes, bool counts) {
  const unsigned first = next_call_;
  next_call_ += static_cast<unsigned>(notes.batch);
  for (unsigned number = first; number != next_call_; ++number) call.prepare(pool[number], number);
  if (std::accumulate(evicting_.begin(), evicting_.end(), 0U,
                      [](unsigned sum, std::byte value) { return sum + static_cast<unsigned>(value); }) != evicting_.size())
    throw std::logic_error("the memory that shall fill the caches has changed");

  group_.barrier();
  if (effort_.skew_seconds > 0) arrive_late(first);
  const bool times_each = effort_.histogram && counts;
  const double cpu_before = clock_seconds(CLOCK_PROCESS_CPUTIME_ID);
  const double begin = monotonic_seconds();
  double last = begin;
  for (unsigned number = first; number != next_call_; ++number) {
    call.run(calls, pool[number], number);
    if (!times_each) continue;
    const double after = monotonic_seconds();
    notes.each_call.push_back(after - last);
    last = after;
  }
  const double end = monotonic_seconds();
  const double cpu = clock_seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu_before;

  for (unsigned number = first; number != next_call_; ++number) notes.wrong += call.check(pool[number], number) ? 1 : 0;
  if (counts) {
    notes.seconds.push_back((end - begin) / notes.batch);
    notes.begins.push_back(begin);
    notes.ends.push_back(end);
    notes.cpu_seconds += cpu;
  }
  return end - begin;
}

std::vector<double> Rounds::on_all(const std::vector<double>& mine, MPI_Op op) const {
  std::vector<double> all(mine.size());
  own_.allreduce(mine.data(), all.data(), static_cast<int>(mine.size()), MPI_DOUBLE, op, comm_);
  return all;
}

SideResult Rounds::gather(const Notes& notes) const {
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

std::optional<std::string> too_long_for_mpi(const CallKind& kind, std::size_t ranks) {
  const coll::CollectiveFacts& facts = coll::facts(kind.collective);
  const bool blocks = facts.input == coll::Buffer::blocks || facts.output == coll::Buffer::blocks;
  // alltoallw places blocks by bytes; for all others an element has at least one.
  if (kind.bytes * (blocks ? ranks : 1) <= std::numeric_limits<int>::max()) return std::nullopt;
  return "MPI counts elements by int";
}

}  // namespace xylem::tools

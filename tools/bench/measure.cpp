#include "bench/measure.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

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

}  // namespace

struct Bench::Side {
  const Calls* calls = nullptr;     // of this job's ranks; or
  std::optional<std::size_t> peer;  // a job beside it
  Notes notes;
  SideResult of_peer;
};

Bench::Bench(MPI_Comm comm, const PoliteGroup& group, std::vector<Calls> sides, const BenchEffort& effort,
             std::vector<std::unique_ptr<PeerProcess>> peers)
    : group_(group),
      calls_(std::move(sides)),
      effort_(effort),
      rounds_(comm, group, calls_.back(), effort),
      peers_(std::move(peers)) {}

// The other ranks sleep while rank 0 waits for the peer, and then learn what it has found.
double Bench::with_peer(const std::function<double(PeerProcess&)>& talk, std::size_t peer) {
  const double found = group_.rank() == 0 ? talk(*peers_[peer]) : 0;
  group_.await_first();
  return group_.largest(found);
}

// The seconds of a round on the slowest rank.
double Bench::run_round(const CollectiveCall& call, const BufferPool& pool, Side& side, bool counts) {
  if (!side.peer) return rounds_.run(call, *side.calls, pool, side.notes, counts);
  return with_peer([&](PeerProcess& peer) { return peer.run_round(side.notes.batch, counts ? &side.of_peer : nullptr); },
                   *side.peer);
}

// A few single calls tell how many make a batch. Returns the seconds of such a round.
double Bench::find_batch(const CollectiveCall& call, const BufferPool& pool, Side& side, double share) {
  std::vector<double> trials;
  do {
    trials.push_back(group_.largest(run_round(call, pool, side, false)));
  } while (trials.size() < trial_calls && std::accumulate(trials.begin(), trials.end(), 0.0) < share);
  // The length comes from the faster ones of these calls: on a busy machine the others tell how long a rank had no core.
  const double undisturbed = std::max(percentile(trials, 0.25), 1e-9);
  const bool single = effort_.skew_seconds > 0;  // of calls in a row only the first would find ranks that come late
  side.notes.batch = single ? 1 : clamp_round(batch_seconds / undisturbed, 1, static_cast<int>(pool.size()));
  return percentile(trials, 0.5) * side.notes.batch;
}

void Bench::measure(const CallKind& kind, const CollectiveCall& call, const std::function<void(double)>& progress, Row& row) {
  const BufferPool pool(call.send_bytes(), call.receive_bytes(), effort_.buffers == BufferState::warm);
  const double start = monotonic_seconds();
  // The ranks agree, for they must stop together.
  const auto elapsed = [&] { return group_.largest(monotonic_seconds() - start); };
  std::vector<Side> sides(calls_.size() + peers_.size());
  double round_seconds = 0;
  for (std::size_t number = 0; number < sides.size(); ++number) {
    Side& side = sides[number];
    if (number < calls_.size()) {
      side.calls = &calls_[number];
    } else {
      side.peer = number - calls_.size();
      with_peer([&](PeerProcess& peer) { return peer.prepare(kind, effort_), 0; }, *side.peer);
    }
    round_seconds += find_batch(call, pool, side, effort_.line_seconds * trial_part / static_cast<double>(sides.size()));
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
    for (std::size_t turn = 0; turn < sides.size(); ++turn) {
      // Who goes first alternates: the second finds the pool's memory as the first left it.
      run_round(call, pool, sides[(turn + static_cast<std::size_t>(round + 1)) % sides.size()], round >= 0);
    }
    progress(static_cast<double>(round + 1) / rounds);
  }
  row.sides.clear();
  for (Side& side : sides) {
    if (side.peer) side.of_peer.batch = side.notes.batch;
    row.sides.push_back(side.peer ? std::move(side.of_peer) : rounds_.gather(side.notes));
  }
}

}  // namespace xylem::tools

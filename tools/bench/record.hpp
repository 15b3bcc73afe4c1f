// What a run of the benchmark has found: all that tables, reports and comparisons are made of.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "bench/histogram.hpp"
#include "bench/limits.hpp"
#include "samples.hpp"

namespace xylem::tools {

// Where and how it was measured.
struct Setting {
  int ranks = 0;
  std::map<std::string, int> hosts;  // ranks on each
  std::string processor;
  std::string kernel;
  int cores = 0;  // of rank 0's host
  std::string mpi_version;
  std::map<std::string, std::string> peers;  // name of a further side, and what it is
  std::string xylem_version;
  bool xylem_loaded = false;
  std::string load_warning;  // empty on a quiet machine
  std::vector<std::string> command;
  std::string type, op;
  bool reproducible = false;  // sums, by XYLEM_REPRODUCIBLE
};

struct SideResult {
  std::vector<double> seconds;  // per call, on the slowest rank, of each round
  int batch = 1;                // calls in a row that one round times; a round's figure is their mean
  double cpu_seconds = 0;       // of a call, all ranks together
  long wrong_calls = 0;         // on all ranks, results that were not exact
  Histogram calls;              // each call for itself, if that was asked for
};

// Names of sides: Xylem, and the MPI that it is preloaded to.
inline constexpr const char* xylem_side = "xylem";
inline constexpr const char* mpi_side = "mpi";

struct Row {
  std::string collective;
  std::size_t bytes = 0;
  double least_seconds = 0;  // by the machine's limits; 0 if unknown
  bool cut_short = false;    // it took too long
  std::string left_out;      // why it was not measured, if it was not
  // As Run::sides; empty if it was left out.
  std::vector<SideResult> sides;

  bool measured() const { return !sides.empty(); }
  Summary summary(std::size_t side) const { return summarize(sides[side].seconds); }
  // The time of side `peer` divided by Xylem's, round by round: the median and what is certain of it. Above 1, Xylem is
  // faster.
  double ratio(std::size_t peer) const;
  Interval ratio_interval(std::size_t peer) const;
  // Of the peer that is fastest.
  std::size_t best_peer() const;
  // The part of the limit that Xylem reaches; 0 if unknown.
  double of_limit() const;
  bool wrong() const;
  bool noisy() const;  // of a side at least
};

struct Run {
  Setting setting;
  Limits limits;
  std::vector<std::string> sides;  // xylem_side first
  std::vector<Row> rows;
  std::string core_statistics;  // JSON; empty if Xylem ran nothing
};

// What a side is, for people.
std::string title_of(const Run& run, std::size_t side);

// Differences below this are the machine's and not the library's.
inline constexpr double equal_within = 0.03;

// Xylem is slower than the best peer, or faster: by more than equal_within, and with certainty.
bool slower(const Row& row);
bool faster(const Row& row);

std::string to_json(const Run& run);
// What a side has found, on one line.
std::string side_to_json(const SideResult& side);
// Throws std::runtime_error.
SideResult side_from_json(const std::string& text);
// Throws std::runtime_error if the text is no record of a run.
Run run_from_json(const std::string& text);

}  // namespace xylem::tools

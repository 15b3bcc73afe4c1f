// What `xylem bench` can be asked for: read by the tool, to say what is wrong before anything runs, and by the benchmark
// program.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): the library calls itself so
class App;
}

namespace xylem::tools {

enum class BufferState {
  rotated,  // each call of a round has buffers of its own
  warm,     // few enough that they stay in a core's own caches
  cold,     // rotated, and the caches are filled with something else before each round
};

const char* buffer_state_name(BufferState state);
std::optional<BufferState> find_buffer_state(const std::string& name);

// How a line is measured.
struct BenchEffort {
  double min_seconds = 0.25;  // measured time of all sides together
  int rounds = 0;             // 0: as many as min_seconds asks for
  double line_seconds = 20;   // after which no further round begins
  BufferState buffers = BufferState::rotated;
  double skew_seconds = 0;  // how late ranks may come
  bool histogram = false;   // every call is timed for itself, too
};

struct BenchOptions {
  std::vector<std::string> collectives;
  std::vector<std::size_t> sizes;  // bytes
  std::string type = "float";
  std::string op = "sum";
  double imbalance = 0;  // of blocks that may differ: a part of their mean length
  BenchEffort effort;
  bool limits_only = false;
  std::string json_file;
  std::string csv_file;
  std::string report_file;
  std::vector<std::string> from;     // JSON files of earlier runs: the report is made of them
  std::vector<std::string> compare;  // two of them: old and new
  std::vector<std::string> peers;    // NAME or NAME=COMMAND; empty: the other MPI, if it is here
  bool serves = false;               // this job is a peer of another one
  std::string mpi;                   // which MPI's program to start; empty: the one that launched us

  // Nothing is measured: files of earlier runs are read.
  bool reads_files() const { return !from.empty() || !compare.empty(); }
};

// Of --peer: no other job is started.
inline constexpr const char* no_peer = "none";
// How a benchmark program is told to be a peer (peer/process.hpp).
inline constexpr const char* serve_option = "--serve";

// Adds the options to `app`; the values are in `options` once it has parsed, and checked.
void add_bench_options(CLI::App& app, BenchOptions& options);

// The names that the options take.
const std::vector<std::string>& bench_collectives();
const std::vector<std::string>& bench_types();
const std::vector<std::string>& bench_ops();

}  // namespace xylem::tools

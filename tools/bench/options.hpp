// What `xylem bench` can be asked for: read by the tool, to say what is wrong before anything runs, and by the benchmark
// program.
#pragma once

#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): the library calls itself so
class App;
}

namespace xylem::tools {

struct BenchOptions {
  std::vector<std::string> collectives;
  std::vector<std::size_t> sizes;  // bytes
  std::string type = "float";
  std::string op = "sum";
  double min_time = 0.25;  // seconds measured per line, both sides together
  int rounds = 0;          // 0: as many as min_time asks for
  std::string json_file;
  std::string csv_file;
  std::string mpi;  // which MPI's program to start; empty: the one that launched us
};

// Adds the options to `app`; the values are in `options` once it has parsed, and checked.
void add_bench_options(CLI::App& app, BenchOptions& options);

// The names that the options take.
const std::vector<std::string>& bench_collectives();
const std::vector<std::string>& bench_types();
const std::vector<std::string>& bench_ops();

}  // namespace xylem::tools

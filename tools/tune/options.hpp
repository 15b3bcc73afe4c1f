// What `xylem tune` can be asked for: read by the tool, to say what is wrong before anything runs, and by the tuner itself.
#pragma once

#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): the library calls itself so
class App;
}

namespace xylem::tools {

struct TuneOptions {
  std::vector<std::string> collectives;
  std::vector<std::size_t> sizes;  // rising
  int rounds = 15;
  std::string file = "xylem.tuning";
  std::string mpi;  // which MPI's program to start; empty: the one that launched us
};

void add_tune_options(CLI::App& app, TuneOptions& options);

// What can be tuned: every collective.
const std::vector<std::string>& tunable_collectives();

}  // namespace xylem::tools

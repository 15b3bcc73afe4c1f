// `xylem diagnose`: who is where, from dumps of flight recorders.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace xylem::tools {

struct DiagnoseOptions {
  std::vector<std::string> files;  // "-": stdin
};

void add_diagnose_options(CLI::App& app, DiagnoseOptions& options);

// Prints to stdout. Returns the exit status.
int run_diagnose(const DiagnoseOptions& options);

}  // namespace xylem::tools

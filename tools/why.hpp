// `xylem why`: which algorithm the plan takes for a call, and why.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): the library calls itself so
class App;
}

namespace xylem::tools {

struct WhyOptions {
  std::string collective;
  std::vector<std::size_t> bytes;
  std::uint32_t ranks = 2;
  std::uint32_t hosts = 1;
  double ranks_per_core = 1;
  bool reproducible = false;  // as XYLEM_REPRODUCIBLE
  std::string provider = "tcp;ofi_rxm";
  std::string rules;        // as XYLEM_ALGORITHM
  std::string tuning_file;  // as XYLEM_TUNING_FILE
};

void add_why_options(CLI::App& app, WhyOptions& options);

// Prints every candidate for every size, best first. Returns the exit status.
int run_why(const WhyOptions& options);

}  // namespace xylem::tools

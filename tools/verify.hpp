// `xylem verify`: proofs of the algorithms, printed.
#pragma once

#include <cstdint>
#include <string>

#include "verify/sweep.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): the library calls itself so
class App;
}

namespace xylem::tools {

struct VerifyOptions {
  std::string collective;  // empty: all
  std::string algorithm;   // empty: all
  verify::SweepRange range;
};

void add_verify_options(CLI::App& app, VerifyOptions& options);

// Prints a line per algorithm, and after it what was found wrong. Returns the exit status: 1 where a proof failed.
int run_verify(const VerifyOptions& options);

}  // namespace xylem::tools

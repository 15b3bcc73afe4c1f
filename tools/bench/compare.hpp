// What became slower, and faster, between two runs.
#pragma once

#include <string>

#include "bench/record.hpp"

namespace xylem::tools {

struct Comparison {
  std::string text;  // a table, what became slower first
  bool regressed;
};

// A line counts as slower if Xylem's own time says so and its ratio to the MPI does: machines have fast and slow days, which
// both sides share. Both must differ by more than equal_within, with intervals that do not touch. Where the sums of the
// second run only are reproducible, all lines are listed: that is the price, and no regression. Throws std::runtime_error if
// the runs cannot be compared.
Comparison compare_runs(const Run& before, const Run& after);

}  // namespace xylem::tools

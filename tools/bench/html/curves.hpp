#pragma once

#include <string>

#include "bench/record.hpp"

namespace xylem::tools {

// Time over size of one collective: a line for each side, and one for the limit. Nothing without sizes.
std::string time_curves(const Run& run, const std::string& collective);

// The part of the limit that Xylem reaches over size, and that its peers reach. Nothing where no limit is known.
std::string limit_curves(const Run& run, const std::string& collective);

// Names the colours of both.
std::string curves_legend(const Run& run);

}  // namespace xylem::tools

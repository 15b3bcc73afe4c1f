#pragma once

#include <string>

#include "bench/record.hpp"

namespace xylem::tools {

// A field for each collective and size of a run, coloured by how much faster Xylem is than the best of its peers, as SVG.
std::string heat_map(const Run& run);

}  // namespace xylem::tools

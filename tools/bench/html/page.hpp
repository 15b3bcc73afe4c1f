// Runs as one page of HTML that needs nothing but itself: for people, offline, in light and dark.
#pragma once

#include <string>
#include <vector>

#include "bench/record.hpp"

namespace xylem::tools {

// REQUIRES: at least one run.
std::string html_page(const std::vector<Run>& runs);

// What tells a run from the others on its page: "4 ranks on 1 host, MPICH 4.0.2".
std::string run_title(const Run& run);

}  // namespace xylem::tools

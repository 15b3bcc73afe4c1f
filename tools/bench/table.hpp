// A run as a table for people, and as comma-separated values.
#pragma once

#include <string>

#include "bench/record.hpp"

namespace xylem::tools {

// What stands above the rows, which are printed as they are measured.
std::string table_head(const Run& run);
std::string table_row(const Run& run, const Row& row);
// A line for each side below a row: how long single calls took. Nothing if they were not timed.
std::string histogram_lines(const Run& run, const Row& row);
// What to know of all rows together: how many were faster and slower, and whether Xylem ran the calls.
std::string table_foot(const Run& run);

std::string limits_table(const Limits& limits);

std::string report_csv(const Run& run);

// "1 MiB"; a barrier has no size.
std::string size_text(const Row& row);
// "27%"; "-" if it is unknown.
std::string percent_of_limit(const Row& row);

}  // namespace xylem::tools

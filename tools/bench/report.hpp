// What a run measured, and how it is shown: as a table for people, as JSON with every sample, as CSV.
#pragma once

#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "bench/measure.hpp"
#include "bench/options.hpp"
#include "samples.hpp"

namespace xylem::tools {

// Where and how it was measured.
struct Setting {
  int ranks = 0;
  std::map<std::string, int> hosts;  // ranks on each
  std::string processor;
  std::string kernel;
  int cores = 0;  // of rank 0's host
  std::string mpi_version;
  std::string xylem_version;
  bool xylem_loaded = false;
  std::string load_warning;  // empty on a quiet machine
  std::vector<std::string> command;
};

struct Row {
  std::string collective;
  std::size_t bytes;
  Measurement measurement;

  Summary summary(std::size_t side) const;
  // The MPI's median divided by Xylem's: above 1, Xylem is faster.
  double ratio() const;
  bool wrong() const;
  bool noisy() const;  // of a side at least
};

std::string table_head(const Setting& setting, const BenchOptions& options);
std::string table_row(const Row& row);
// What to know of all rows together: how many were faster and slower, and whether Xylem ran the calls. `core_statistics` is
// what xylem_core_statistics() gives.
std::string table_foot(const Setting& setting, const std::vector<Row>& rows, const std::string& core_statistics);

std::string report_json(const Setting& setting, const BenchOptions& options, const std::vector<Row>& rows,
                        const std::string& core_statistics);
std::string report_csv(const std::vector<Row>& rows);

}  // namespace xylem::tools

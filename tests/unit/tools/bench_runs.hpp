// Records of runs that never were.
#pragma once

#include "bench/record.hpp"

namespace xylem::tools {

inline SideResult side_of(double seconds, int rounds = 40) {
  SideResult side;
  for (int round = 0; round < rounds; ++round) side.seconds.push_back(seconds * (1 + 0.001 * (round % 5)));
  side.cpu_seconds = 2 * seconds;
  return side;
}

inline Row row_of(const std::string& collective, std::size_t bytes, double xylem, double mpi) {
  Row row;
  row.collective = collective;
  row.bytes = bytes;
  row.least_seconds = xylem / 2;
  row.sides = {side_of(xylem), side_of(mpi)};
  return row;
}

inline Run run_of(std::vector<Row> rows) {
  Run run;
  run.setting.ranks = 2;
  run.setting.hosts = {{"host", 2}};
  run.setting.mpi_version = "MPICH <4>";
  run.setting.xylem_loaded = true;
  run.setting.type = "float";
  run.setting.op = "sum";
  run.limits.cores = {0, 1};
  run.limits.line_seconds = 5e-8;
  run.sides = {xylem_side, mpi_side};
  run.rows = std::move(rows);
  return run;
}

}  // namespace xylem::tools

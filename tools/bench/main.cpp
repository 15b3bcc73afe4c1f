// The program behind `xylem bench`, built once per MPI and started with Xylem preloaded.
#include <fmt/format.h>
#include <mpi.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <exception>
#include <limits>

#include "bench/measure.hpp"
#include "bench/options.hpp"
#include "bench/progress_line.hpp"
#include "bench/report.hpp"
#include "bench/setting.hpp"
#include "bench/sides.hpp"
#include "output_file.hpp"
#include "units.hpp"

namespace xylem::tools {
namespace {

// The lines to measure, one after the other: a barrier has no size.
std::vector<std::pair<std::string, std::size_t>> lines_of(const BenchOptions& options) {
  std::vector<std::pair<std::string, std::size_t>> lines;
  for (const std::string& collective : options.collectives) {
    if (collective == "barrier") {
      lines.emplace_back(collective, 0);
      continue;
    }
    for (const std::size_t bytes : options.sizes) lines.emplace_back(collective, bytes);
  }
  return lines;
}

void print(const std::string& text) {
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
}

int run(const BenchOptions& options, int argc, char** argv) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const bool speaks = rank == 0;
  for (const std::string& file : {options.json_file, options.csv_file})
    if (speaks && !file.empty()) check_writable(file);
  const Setting setting = collect_setting(MPI_COMM_WORLD, argc, argv);
  Bench bench(MPI_COMM_WORLD, {program_calls(), mpi_calls()});
  ProgressLine progress(speaks);
  if (speaks) print(table_head(setting, options));

  std::vector<Row> rows;
  const auto lines = lines_of(options);
  for (const auto& [collective, bytes] : lines) {
    if (bytes > std::numeric_limits<int>::max()) throw std::runtime_error("MPI counts elements by int: use smaller sizes");
    const CollectiveCall call(collective_named(collective), bytes, options.type, options.op, MPI_COMM_WORLD);
    const std::string what = fmt::format("{} of {}: {} {}", rows.size() + 1, lines.size(), collective, format_bytes(bytes));
    Measurement measurement = bench.measure(call, {options.min_time, options.rounds}, [&](double fraction) {
      progress.show(fmt::format("{}, {:.0f}%", what, fraction * 100));
    });
    rows.push_back({collective, bytes, std::move(measurement)});
    progress.clear();
    if (speaks) print(table_row(rows.back()));
  }

  if (speaks) {
    const std::string statistics = xylem_core_statistics();
    print(table_foot(setting, rows, statistics));
    if (!options.json_file.empty()) write_file(options.json_file, report_json(setting, options, rows, statistics));
    if (!options.csv_file.empty()) write_file(options.csv_file, report_csv(rows));
  }
  for (const Row& row : rows)
    if (row.wrong()) return 1;
  return 0;
}

}  // namespace
}  // namespace xylem::tools

int main(int argc, char** argv) {
  using namespace xylem::tools;
  BenchOptions options;
  CLI::App app("Compares Xylem's collectives with those of the MPI below.", "xylem bench");
  add_bench_options(app, options);
  CLI11_PARSE(app, argc, argv);

  MPI_Init(&argc, &argv);
  int status = 0;
  try {
    status = run(options, argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "xylem bench: {}\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return status;
}

#include "bench/options.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <string_view>

#include "list_options.hpp"
#include "units.hpp"

namespace xylem::tools {
namespace {

constexpr const char* default_sizes = "8,1K,64K,1M,16M";

CLI::Validator one_of(const std::vector<std::string>& names) {
  return {[&names](std::string& name) { return check_name(name, {names.begin(), names.end()}); }, ""};
}

}  // namespace

const std::vector<std::string>& bench_collectives() {
  static const std::vector<std::string> names = {"allreduce", "reduce", "bcast", "allgather", "reduce_scatter_block",
                                                 "barrier"};
  return names;
}

const std::vector<std::string>& bench_types() {
  static const std::vector<std::string> names = {"float", "double", "int", "long", "uint8"};
  return names;
}

const std::vector<std::string>& bench_ops() {
  static const std::vector<std::string> names = {"sum", "prod", "max", "min"};
  return names;
}

void add_bench_options(CLI::App& app, BenchOptions& options) {
  options.collectives = bench_collectives();
  options.sizes = *parse_sizes(default_sizes);

  add_collectives_option(
      app, options.collectives, bench_collectives(),
      "Which, such as allreduce,bcast; default: all of allreduce, reduce, bcast, allgather, reduce_scatter_block, barrier");
  add_sizes_option(app, "--sizes", options.sizes,
                   std::string("Bytes of a vector, such as 8,1K,1M, or 8-64M for all powers of two between; default: ") +
                       default_sizes +
                       ". For allgather: what one rank sends; for reduce_scatter_block: what one rank receives");
  app.add_option("--type", options.type, "float, double, int, long or uint8")
      ->type_name("NAME")
      ->capture_default_str()
      ->check(one_of(bench_types()));
  app.add_option("--op", options.op, "sum, prod, max or min")
      ->type_name("NAME")
      ->capture_default_str()
      ->check(one_of(bench_ops()));
  app.add_option("--min-time", options.min_time, "Seconds to measure each line for, at least")
      ->type_name("SECONDS")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber);
  app.add_option("--rounds", options.rounds, "Rounds to measure each line for, in place of --min-time")
      ->type_name("NUMBER")
      ->check(CLI::PositiveNumber);
  app.add_option("--json", options.json_file, "Write every sample, and where they were measured, to this file")
      ->type_name("FILE");
  app.add_option("--csv", options.csv_file, "Write the table to this file, comma-separated")->type_name("FILE");
  app.add_option("--mpi", options.mpi, "mpich or openmpi: what mpirun is, where that cannot be told from the environment")
      ->type_name("NAME");
}

}  // namespace xylem::tools

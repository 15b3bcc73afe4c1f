#include "bench/options.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <string_view>

#include "base/spelling.hpp"
#include "units.hpp"

namespace xylem::tools {
namespace {

constexpr const char* default_sizes = "8,1K,64K,1M,16M";

// "" if `name` is one of `names`, else what is wrong.
std::string unknown(const std::string& name, const std::vector<std::string>& names) {
  const std::vector<std::string_view> views(names.begin(), names.end());
  for (const std::string_view known : views)
    if (name == known) return "";
  return "'" + name + "' is not known" + suggestion(name, views);
}

CLI::Validator one_of(const std::vector<std::string>& names) {
  return {[&names](std::string& name) { return unknown(name, names); }, ""};
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

  app.add_option_function<std::string>(
         "--collectives",
         [&options](const std::string& text) {
           options.collectives = split_list(text);
           for (const std::string& name : options.collectives)
             if (const std::string what = unknown(name, bench_collectives()); !what.empty())
               throw CLI::ValidationError("--collectives", what);
         },
         "Which, such as allreduce,bcast; default: all of allreduce, reduce, bcast, allgather, reduce_scatter_block, barrier")
      ->type_name("NAMES");
  app.add_option_function<std::string>(
         "--sizes",
         [&options](const std::string& text) {
           const auto sizes = parse_sizes(text);
           if (!sizes) throw CLI::ValidationError("--sizes", "'" + text + "' is no list of sizes such as 8,1K,1M or 8-64M");
           options.sizes = *sizes;
         },
         std::string("Bytes of a vector, such as 8,1K,1M, or 8-64M for all powers of two between; default: ") +
             default_sizes + ". For allgather: what one rank sends; for reduce_scatter_block: what one rank receives")
      ->type_name("SIZES");
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

#include "bench/options.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <map>
#include <string_view>

#include "bench/peer/command.hpp"
#include "coll/collective.hpp"
#include "list_options.hpp"
#include "units.hpp"

namespace xylem::tools {
namespace {

constexpr const char* default_sizes = "8,1K,64K,1M,16M";

const std::map<std::string, BufferState> buffer_states = {
    {"rotated", BufferState::rotated}, {"warm", BufferState::warm}, {"cold", BufferState::cold}};

std::string check_peer(const std::string& text) {
  PeerChoice choice = parse_peer(text);
  if (!choice.command) return check_name(choice.name, {no_peer, "mpich", "openmpi"});
  return choice.name.empty() || choice.command->empty() ? "'" + text + "': expected NAME=COMMAND" : "";
}

CLI::Validator one_of(const std::vector<std::string>& names) {
  return {[&names](std::string& name) { return check_name(name, {names.begin(), names.end()}); }, ""};
}

}  // namespace

const char* buffer_state_name(BufferState state) {
  for (const auto& [name, value] : buffer_states)
    if (value == state) return name.c_str();
  return "";
}

std::optional<BufferState> find_buffer_state(const std::string& name) {
  const auto found = buffer_states.find(name);
  return found == buffer_states.end() ? std::nullopt : std::optional(found->second);
}

const std::vector<std::string>& bench_collectives() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const coll::CollectiveFacts& facts : coll::kCollectiveFacts) list.emplace_back(facts.name);
    return list;
  }();
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

  add_collectives_option(app, options.collectives, bench_collectives(), "Which, such as allreduce,bcast; default: all 17");
  add_sizes_option(app, "--sizes", options.sizes,
                   std::string("Bytes of a vector, or of one block where ranks send or receive several, such as 8,1K,1M, or "
                               "8-64M for all powers of two between; default: ") +
                       default_sizes);
  app.add_option("--type", options.type, "float, double, int, long or uint8")
      ->type_name("NAME")
      ->capture_default_str()
      ->check(one_of(bench_types()));
  app.add_option("--op", options.op, "sum, prod, max or min")
      ->type_name("NAME")
      ->capture_default_str()
      ->check(one_of(bench_ops()));
  app.add_option_function<double>(
         "--imbalance", [&options](double percent) { options.imbalance = percent / 100; },
         "How unequal blocks are where they may be: by how many percent of their mean the longest is longer; default: 0")
      ->type_name("PERCENT")
      ->check(CLI::Range(0, 100));
  BenchEffort& effort = options.effort;
  app.add_option("--min-time", effort.min_seconds, "Seconds to measure each line for, at least")
      ->type_name("SECONDS")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber);
  app.add_option("--rounds", effort.rounds, "Rounds to measure each line for, in place of --min-time")
      ->type_name("NUMBER")
      ->check(CLI::PositiveNumber);
  app.add_option("--line-time", effort.line_seconds, "Seconds after which a line is cut short, and marked")
      ->type_name("SECONDS")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  app.add_option("--buffers", effort.buffers,
                 "rotated: each call has its own; warm: they stay in the caches; cold: caches are filled with something else")
      ->type_name("STATE")
      ->transform(CLI::CheckedTransformer(buffer_states, CLI::ignore_case));
  app.add_option_function<double>(
         "--skew", [&effort](double microseconds) { effort.skew_seconds = microseconds * 1e-6; },
         "Let ranks come up to so many microseconds late, and time from the moment when all have come; one host only")
      ->type_name("MICROSECONDS")
      ->check(CLI::PositiveNumber);
  app.add_option("--peer", options.peers,
                 "Compare with another job, too, in the same rounds: mpich, openmpi, or NAME=COMMAND for whatever speaks the "
                 "protocol of peers; none: with none; default: the other MPI if it is here and all ranks are on one host")
      ->type_name("NAME")
      ->allow_extra_args(false)
      ->check(CLI::Validator(check_peer, ""));
  app.add_flag(serve_option, options.serves, "Be a peer: answer questions on standard input")->group("");
  app.add_flag("--histogram", effort.histogram, "Time every call for itself, too, and show how often it took how long");
  app.add_flag("--limits", options.limits_only, "Measure only what the machine allows, and show it");
  app.add_option("--report", options.report_file,
                 "Write a page with tables and plots to this file, which any browser shows without a network")
      ->type_name("FILE");
  CLI::Option* from = app.add_option("--from", options.from,
                                     "Measure nothing: make the report of these files, written with --json, such as one for "
                                     "each number of ranks")
                          ->type_name("FILE")
                          ->delimiter(',');
  from->needs(app.get_option("--report"));
  app.add_option("--compare", options.compare,
                 "Measure nothing: tell what became slower from the first of two files, written with --json, to the second")
      ->type_name("FILE")
      ->expected(2)
      ->excludes(from);
  app.add_option("--json", options.json_file, "Write every sample, and where they were measured, to this file")
      ->type_name("FILE");
  app.add_option("--csv", options.csv_file, "Write the table to this file, comma-separated")->type_name("FILE");
  app.add_option("--mpi", options.mpi, "mpich or openmpi: what mpirun is, where that cannot be told from the environment")
      ->type_name("NAME");
}

}  // namespace xylem::tools

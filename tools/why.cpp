#include "why.hpp"

#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>

#include "algorithm_options.hpp"
#include "base/settings.hpp"
#include "comm/tuning.hpp"
#include "job_shape.hpp"
#include "list_options.hpp"
#include "plan/planner.hpp"
#include "units.hpp"
#include "usage.hpp"

namespace xylem::tools {
namespace {

bool lends_blocks(const plan::Shape& shape, const plan::Algorithm& algorithm, std::size_t bytes) {
  const bool one_way = coll::facts(algorithm.collective).rooted;
  return algorithm.traits.lends && bytes / shape.ranks >= (one_way ? shape.loans.one_way : shape.loans.exchanged);
}

void print_candidates(const WhyOptions& options, const plan::Planner& planner, coll::Collective collective,
                      std::size_t bytes) {
  fmt::print("{} of {} over {} ranks on {} host{}{}:\n", options.collective, format_bytes(bytes), options.ranks,
             options.hosts, options.hosts == 1 ? "" : "s",
             planner.shape().reproducible && coll::facts(collective).reduces ? ", reproducible" : "");
  const auto candidates = planner.explain(collective, bytes, 1);
  for (const plan::Candidate& candidate : candidates) {
    const bool chosen = &candidate == &candidates.front();
    const std::string cost = candidate.possible ? format_microseconds(candidate.seconds * 1e6) + " us" : "-";
    const plan::Algorithm& algorithm = plan::catalogue()[candidate.algorithm];
    fmt::print("  {} {:<22}{:>14}  {}{}\n", chosen ? "->" : "  ", algorithm.name, cost,
               !candidate.reason.empty() ? candidate.reason
               : chosen                  ? "the least predicted time"
                                         : "",
               candidate.possible && lends_blocks(planner.shape(), algorithm, bytes) ? " (single copy)" : "");
  }
}

}  // namespace

void add_why_options(CLI::App& app, WhyOptions& options) {
  options.bytes = {8, 64 << 10, 16 << 20};
  app.add_option("collective", options.collective, "Such as allreduce")
      ->required()
      ->check(CLI::Validator([](std::string& name) { return check_collective(name); }, ""));
  add_sizes_option(app, "--bytes", options.bytes,
                   "Bytes of the whole vector, or of all ranks' blocks together; default: 8,64K,16M");
  app.add_option("--ranks", options.ranks, "Ranks of the communicator")
      ->type_name("NUMBER")
      ->capture_default_str()
      ->check(CLI::Range(2U, 1U << 24));
  app.add_option("--hosts", options.hosts, "Hosts, with as many ranks each")
      ->type_name("NUMBER")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  app.add_option("--ranks-per-core", options.ranks_per_core, "On the host that is most crowded")
      ->type_name("NUMBER")
      ->capture_default_str()
      ->check(CLI::Range(1.0, 1e6));
  app.add_option("--provider", options.provider, "The libfabric provider between hosts")
      ->type_name("NAME")
      ->capture_default_str();
  app.add_flag("--reproducible", options.reproducible, "As with XYLEM_REPRODUCIBLE=1, for sums that round");
  app.add_option("--tuning-file", options.tuning_file, "Rules of xylem tune; default: the environment's file")
      ->type_name("FILE");
  app.add_option("--rules", options.rules, "Rules as XYLEM_ALGORITHM takes them; default: the environment's")
      ->type_name("RULES");
}

int run_why(const WhyOptions& options) {
  if (options.hosts > options.ranks) {
    return usage_error(fmt::format("xylem why: {} hosts need at least as many ranks, not {}", options.hosts, options.ranks));
  }
  plan::Shape shape = job_shape(options.ranks, options.hosts, plan::network_link(options.provider.c_str()));
  shape.ranks_per_core = options.ranks_per_core;
  shape.reproducible = options.reproducible || settings().reproducible;
  const std::string& file = options.tuning_file.empty() ? settings().tuning_file : options.tuning_file;
  const Tuning tuning = file.empty() ? Tuning{} : read_tuning(file);
  if (!tuning.trouble.empty()) fmt::print(stderr, "xylem why: {}; the file is not used\n", tuning.trouble);
  const plan::Planner planner(shape, options.rules.empty() ? settings().algorithm : options.rules, settings().chunk_bytes,
                              tuning.rules);
  if (!planner.complaints().empty()) fmt::print(stderr, "xylem why: {}; left out\n", planner.complaints());
  for (const std::size_t bytes : options.bytes) {
    print_candidates(options, planner, coll::find_collective(options.collective).value(), bytes);
  }
  return 0;
}

}  // namespace xylem::tools

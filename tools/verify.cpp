#include "verify.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>

#include "algorithm_options.hpp"
#include "plan/catalogue.hpp"
#include "units.hpp"
#include "usage.hpp"

namespace xylem::tools {
namespace {

// Proofs of more ranks than this take days.
constexpr std::uint32_t most_ranks = 4096;
// A job is proved with a depth that a build of Xylem could have.
constexpr std::uint32_t most_slots = 64;

// One line, such as "allreduce ring   124 calls, 60 rows of calls proved   0.8 s". False where a proof failed.
bool verify_one(std::uint32_t number, const verify::SweepRange& range) {
  const plan::Algorithm& algorithm = plan::catalogue()[number];
  fmt::print("{:<22}{:<20}", coll::collective_name(algorithm.collective), algorithm.name);
  std::fflush(stdout);
  const auto begin = std::chrono::steady_clock::now();
  const verify::SweepResult calls = verify::sweep_calls(number, range);
  const verify::SweepResult rows = calls.violation ? verify::SweepResult{} : verify::sweep_rows(number, range);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  fmt::print("{:>8} calls{:>6} rows{:>9.2f} s  {}\n", calls.proved, rows.proved, seconds,
             calls.violation || rows.violation ? "WRONG" : "proved");
  for (const auto& violation : {calls.violation, rows.violation})
    if (violation) fmt::print("  {}\n", *violation);
  return !calls.violation && !rows.violation;
}

}  // namespace

void add_verify_options(CLI::App& app, VerifyOptions& options) {
  add_collective_option(app, options.collective);
  add_algorithm_option(app, options.algorithm);
  app.add_option_function<std::string>(
         "--ranks",
         [&options](const std::string& text) {
           const auto range = parse_range(text);
           if (!range || range->second > most_ranks || range->second < 2) {
             throw CLI::ValidationError("--ranks",
                                        fmt::format("'{}' is no number or range such as 1-64 up to {}, and one rank "
                                                    "alone moves nothing",
                                                    text, most_ranks));
           }
           options.range.first_ranks = std::max(range->first, 2U);
           options.range.last_ranks = range->second;
         },
         "Numbers of ranks, such as 7 or 1-512; default: 2-32. Of those above 64 some stand for all, 2^k - 1, 2^k, "
         "2^k + 1 and 3 2^k; docs/algorithms.md says how long it takes")
      ->type_name("RANGE");
  app.add_option("--hosts", options.range.hosts,
                 "Hosts, filled one after the other and round robin; default: several placements on one to many hosts")
      ->type_name("NUMBER")
      ->check(CLI::Range(1U, most_ranks));
  app.add_option("--slots", options.range.slots, "Slots of a channel")
      ->type_name("NUMBER")
      ->capture_default_str()
      ->check(CLI::Range(1U, most_slots));
  app.add_option("--board-depth", options.range.board_depth, "Buffers of a rank on the board of its host")
      ->type_name("NUMBER")
      ->capture_default_str()
      ->check(CLI::Range(1U, most_slots));
}

int run_verify(const VerifyOptions& options) {
  const std::vector<std::uint32_t> chosen = chosen_algorithms(options.collective, options.algorithm);
  if (chosen.empty()) {
    return usage_error(fmt::format("xylem verify: {} has no algorithm '{}'", options.collective, options.algorithm));
  }
  const std::vector<std::uint32_t> numbers = verify::rank_numbers(options.range.first_ranks, options.range.last_ranks);
  if (numbers.size() <= options.range.last_ranks - options.range.first_ranks) {
    const auto few = std::find_if(numbers.begin(), numbers.end(), [](std::uint32_t ranks) { return ranks > 64; });
    fmt::print("Of the numbers of ranks above 64: {}\n", fmt::join(few, numbers.end(), ", "));
  }
  std::size_t wrong = 0;
  for (const std::uint32_t number : chosen) wrong += verify_one(number, options.range) ? 0 : 1;
  if (wrong > 0) {
    fmt::print("{} of {} algorithms could not be proved.\n", wrong, chosen.size());
    return 1;
  }
  fmt::print("{} algorithm{} proved: results, operand order, no deadlock, no slot touched by a rank that does not hold it.\n",
             chosen.size(), chosen.size() == 1 ? "" : "s");
  return 0;
}

}  // namespace xylem::tools

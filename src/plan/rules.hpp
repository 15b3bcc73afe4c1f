// Rules that decide before the cost model does: what the user forces (XYLEM_ALGORITHM) and what `xylem tune` has measured
// (XYLEM_TUNING_FILE). Both are the same text:
//
//   rule      = collective [bytes] ["hosts=" range] ["ranks=" range] ":" algorithm ["chunk=" size]
//   bytes     = a range of sizes, such as 0-4K, 64K-1M, 1M- (no end) or 8 (only this); of the whole vector, or of all blocks
//   range     = such as 1, 2-8, 16-
//
// for example "allreduce 0-4K hosts=1 ranks=2-8: flat chunk=32K". Both ends of a range belong to it; what is left out fits
// everything. Rules stand on lines of their own or between commas, and # begins a comment. The first that fits decides.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "coll/collective.hpp"

namespace xylem::plan {

struct RuleRange {
  static constexpr std::size_t kNoEnd = std::numeric_limits<std::size_t>::max();
  std::size_t first = 0, last = kNoEnd;

  bool holds(std::size_t value) const { return value >= first && value <= last; }
  bool operator==(const RuleRange&) const = default;
};

struct Rule {
  coll::Collective collective;
  RuleRange bytes, hosts, ranks;
  std::uint32_t algorithm;      // in the catalogue
  std::size_t chunk_bytes = 0;  // 0: the plan decides

  bool operator==(const Rule&) const = default;
};

struct RuleComplaint {
  std::size_t line;   // from 1
  std::string token;  // what makes no sense, as printable() shows it
  std::string why;    // such as "names no collective that Xylem runs"
};

struct RuleSet {
  std::vector<Rule> rules;
  std::vector<RuleComplaint> complaints;  // a rule with one is left out
};

RuleSet parse_rules(std::string_view text);

// One rule as parse_rules() takes it.
std::string print_rule(const Rule& rule);

}  // namespace xylem::plan

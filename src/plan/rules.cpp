#include "plan/rules.hpp"

#include <algorithm>
#include <optional>

#include "base/parse.hpp"
#include "base/spelling.hpp"
#include "plan/catalogue.hpp"

namespace xylem::plan {

namespace {

constexpr std::string_view kBlank = " \t\r";

// The part of `text` before the next separator, which is taken off with it.
std::string_view take(std::string_view& text, std::string_view separators) {
  const std::string_view part = text.substr(0, text.find_first_of(separators));
  text.remove_prefix(std::min(text.size(), part.size() + 1));
  return part;
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    if (const std::string_view word = take(text, kBlank); !word.empty()) words.push_back(word);
  }
  return words;
}

std::optional<RuleRange> parse_rule_range(std::string_view text) {
  const std::size_t dash = text.find('-');
  const auto first = parse_bytes(text.substr(0, dash));
  if (!first) return std::nullopt;
  if (dash == std::string_view::npos) return RuleRange{*first, *first};
  const std::string_view end = text.substr(dash + 1);
  const auto last = end.empty() ? RuleRange::kNoEnd : parse_bytes(end);
  if (!last || *last < *first) return std::nullopt;
  return RuleRange{*first, *last};
}

std::string print_range(const RuleRange& range) {
  std::string text = print_bytes(range.first);
  if (range.first == range.last) return text;
  text.push_back('-');
  return range.last == RuleRange::kNoEnd ? text : text.append(print_bytes(range.last));
}

// One rule, or the token that makes none of it, and why.
class RuleReader {
 public:
  explicit RuleReader(std::string_view text) : text_(text) {}

  bool read() {
    const std::size_t colon = text_.find(':');
    if (colon == std::string_view::npos) return refuse(text_, "is not of the form collective:algorithm");
    const std::vector<std::string_view> left = words_of(text_.substr(0, colon)), right = words_of(text_.substr(colon + 1));
    if (left.empty() || right.empty()) return refuse(text_, "is not of the form collective:algorithm");
    const auto collective = coll::find_collective(left.front());
    if (!collective) return refuse(left.front(), "names no collective that Xylem runs");
    rule_.collective = *collective;
    return std::all_of(left.begin() + 1, left.end(), [this](std::string_view word) { return read_condition(word); }) &&
           read_algorithm(right.front()) &&
           std::all_of(right.begin() + 1, right.end(), [this](std::string_view word) { return read_option(word); });
  }

  Rule rule_{};
  std::string token_, why_;

 private:
  bool refuse(std::string_view token, std::string why) {
    token_ = token;
    why_ = std::move(why);
    return false;
  }

  bool read_condition(std::string_view word) {
    const std::size_t equals = word.find('=');
    const std::string_view name = equals == std::string_view::npos ? "" : word.substr(0, equals);
    RuleRange* range = name.empty()      ? &rule_.bytes
                       : name == "hosts" ? &rule_.hosts
                       : name == "ranks" ? &rule_.ranks
                                         : nullptr;
    if (range == nullptr) return refuse(word, "is no condition; there are a range of bytes, hosts= and ranks=");
    const auto read = parse_rule_range(name.empty() ? word : word.substr(equals + 1));
    if (!read) return refuse(word, "is no range such as 0-4K, 2-8 or 1M-");
    *range = *read;
    return true;
  }

  bool read_algorithm(std::string_view name) {
    std::string known;
    for (std::uint32_t i = 0; i < catalogue().size(); ++i) {
      if (catalogue()[i].collective != rule_.collective) continue;
      rule_.algorithm = i;
      if (name == catalogue()[i].name) return true;
      known.append(known.empty() ? "" : ", ").append(catalogue()[i].name);
    }
    return refuse(name, "names no algorithm; there are " + known);
  }

  bool read_option(std::string_view word) {
    constexpr std::string_view kChunk = "chunk=";
    const auto bytes = word.starts_with(kChunk) ? parse_bytes(word.substr(kChunk.size())) : std::nullopt;
    if (!bytes) return refuse(word, "is no option such as chunk=32K");
    rule_.chunk_bytes = *bytes;
    return true;
  }

  std::string_view text_;
};

}  // namespace

RuleSet parse_rules(std::string_view text) {
  RuleSet set;
  for (std::size_t line = 1; !text.empty(); ++line) {
    std::string_view rest = take(text, "\n");
    rest = rest.substr(0, rest.find('#'));
    while (!rest.empty()) {
      const std::string_view one = take(rest, ",");
      if (words_of(one).empty()) continue;
      RuleReader reader(one);
      if (reader.read()) {
        set.rules.push_back(reader.rule_);
      } else {
        set.complaints.push_back({line, printable(reader.token_), reader.why_});
      }
    }
  }
  return set;
}

std::string print_rule(const Rule& rule) {
  constexpr RuleRange kAll;
  std::string text = coll::collective_name(rule.collective);
  if (rule.bytes != kAll) text.append(" ").append(print_range(rule.bytes));
  if (rule.hosts != kAll) text.append(" hosts=").append(print_range(rule.hosts));
  if (rule.ranks != kAll) text.append(" ranks=").append(print_range(rule.ranks));
  text.append(": ").append(catalogue()[rule.algorithm].name);
  if (rule.chunk_bytes != 0) text.append(" chunk=").append(print_bytes(rule.chunk_bytes));
  return text;
}

}  // namespace xylem::plan

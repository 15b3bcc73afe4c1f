#include "tune/merge.hpp"

#include <algorithm>
#include <sstream>

namespace xylem::tools {
namespace {

constexpr std::string_view heading = "# xylem tune: ";

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// What is left of a line; false: nothing.
bool keep_rest(std::string& line, const std::vector<plan::Rule>& rules) {
  std::vector<plan::Rule> there = plan::parse_rules(line).rules;
  const std::size_t before = there.size();
  std::erase_if(there, [&](const plan::Rule& old) {
    return std::any_of(rules.begin(), rules.end(), [&](const plan::Rule& rule) {
      return rule.collective == old.collective && rule.hosts == old.hosts && rule.ranks == old.ranks;
    });
  });
  if (there.size() == before) return true;
  line.clear();
  for (const plan::Rule& rule : there) line.append(line.empty() ? "" : ", ").append(plan::print_rule(rule));
  return !line.empty();
}

}  // namespace

std::string merge_rules(const std::string& text, const std::vector<plan::Rule>& rules, const std::string& origin) {
  std::string merged = std::string(heading) + origin + "\n";
  for (const plan::Rule& rule : rules) merged += plan::print_rule(rule) + "\n";
  std::string rest;
  std::string pending;  // a heading whose rules are still to come; it ends with an empty line
  for (std::string line : lines_of(text)) {
    if (line.starts_with(heading)) {
      pending = line + "\n";
    } else if (line.empty()) {
      pending.clear();
      if (!rest.empty() && !rest.ends_with("\n\n")) rest += "\n";
    } else if (keep_rest(line, rules)) {
      rest += pending + line + "\n";
      pending.clear();
    }
  }
  while (rest.ends_with("\n\n")) rest.pop_back();
  return rest.empty() ? merged : merged + "\n" + rest;
}

}  // namespace xylem::tools

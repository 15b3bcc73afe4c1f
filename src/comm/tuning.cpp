#include "comm/tuning.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "base/settings.hpp"
#include "plan/rules.hpp"

namespace xylem {

Tuning read_tuning(const std::string& file) {
  std::ifstream stream(file);
  std::ostringstream text;
  if (!stream || (stream.peek() != std::ifstream::traits_type::eof() && !(text << stream.rdbuf()))) {
    return {{}, file + ": " + std::strerror(errno)};
  }
  const plan::RuleSet set = plan::parse_rules(text.str());
  if (!set.complaints.empty()) {
    const plan::RuleComplaint& first = set.complaints.front();
    return {{}, file + ", line " + std::to_string(first.line) + ": '" + first.token + "' " + first.why};
  }
  Tuning tuning;
  for (const plan::Rule& rule : set.rules) tuning.rules += plan::print_rule(rule) + "\n";
  return tuning;
}

const std::string& tuning_of_process() {
  static const std::string& rules = *new std::string([] {
    if (settings().tuning_file.empty()) return std::string();
    Tuning tuning = read_tuning(settings().tuning_file);
    if (!tuning.trouble.empty()) log::warn("XYLEM_TUNING_FILE: " + tuning.trouble + "; the file is not used");
    return std::move(tuning.rules);
  }());
  return rules;
}

}  // namespace xylem

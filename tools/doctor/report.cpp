// The doctor's findings as text and as JSON.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "doctor/findings.hpp"

namespace xylem::tools::doctor {
namespace {

const char* name(Finding::Grade grade) {
  switch (grade) {
    case Finding::Grade::good:
      return "good";
    case Finding::Grade::hint:
      return "hint";
    case Finding::Grade::problem:
      break;
  }
  return "problem";
}

}  // namespace

std::string as_text(const Symptoms& symptoms, const std::vector<Finding>& findings) {
  std::string text = fmt::format("rank {} on {}:\n", symptoms.rank, symptoms.host);
  for (const Finding& finding : findings) {
    text += fmt::format("  {:<8} {:<14} {}\n", name(finding.grade), finding.subject, finding.text);
    if (!finding.fix.empty()) text += fmt::format("  {:<8} {:<14} -> {}\n", "", "", finding.fix);
  }
  return text;
}

std::string as_json(const Symptoms& symptoms, const std::vector<Finding>& findings) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Finding& finding : findings) {
    list.push_back(
        {{"subject", finding.subject}, {"grade", name(finding.grade)}, {"text", finding.text}, {"fix", finding.fix}});
  }
  const nlohmann::ordered_json json = {{"rank", symptoms.rank}, {"host", symptoms.host}, {"findings", list}};
  return json.dump() + "\n";
}

}  // namespace xylem::tools::doctor

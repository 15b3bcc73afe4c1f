// What symptoms mean, and what to do.
#pragma once

#include <string>
#include <vector>

#include "doctor/symptoms.hpp"

namespace xylem::tools::doctor {

struct Finding {
  enum class Grade { good, hint, problem };

  Grade grade;
  std::string subject;  // "PMI", "GPUs", ...: one for each thing that was looked at
  std::string text;
  std::string fix;  // empty where it is good
};

std::vector<Finding> examine(const Symptoms& symptoms);

std::string as_text(const Symptoms& symptoms, const std::vector<Finding>& findings);
std::string as_json(const Symptoms& symptoms, const std::vector<Finding>& findings);

}  // namespace xylem::tools::doctor

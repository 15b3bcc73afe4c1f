#include "doctor/doctor.hpp"

#include <CLI/App.hpp>
#include <algorithm>
#include <cstdio>

#include "doctor/findings.hpp"

namespace xylem::tools {

void add_doctor_options(CLI::App& app, DoctorOptions& options) {
  app.add_flag("--json", options.json, "As JSON, one object for each host");
  app.add_option("program", options.program, "The program that the job is to run: is it for this launcher?");
}

int run_doctor(const DoctorOptions& options) {
  const doctor::Symptoms symptoms = doctor::gather(options.program);
  const std::vector<doctor::Finding> findings = doctor::examine(symptoms);
  const bool sick = std::any_of(findings.begin(), findings.end(), [](const doctor::Finding& finding) {
    return finding.grade == doctor::Finding::Grade::problem;
  });
  if (symptoms.local_rank == 0) {
    const std::string text = options.json ? as_json(symptoms, findings) : as_text(symptoms, findings);
    if (std::fputs(text.c_str(), stdout) < 0 || std::fflush(stdout) != 0) {
      std::perror("xylem doctor: cannot write to stdout");
      return 1;
    }
  }
  return sick ? 1 : 0;
}

}  // namespace xylem::tools

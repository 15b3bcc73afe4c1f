// `xylem doctor`: what stands in the way of a job here, and what to do about it. Run as the job is run: srun xylem doctor.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace xylem::tools {

struct DoctorOptions {
  bool json = false;
  std::string program;
};

void add_doctor_options(CLI::App& app, DoctorOptions& options);

// One rank of each host prints, one JSON object a line if that was asked for. Returns the exit status: 1 where there is a
// problem.
int run_doctor(const DoctorOptions& options);

}  // namespace xylem::tools

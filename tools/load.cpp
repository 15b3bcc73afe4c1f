#include "load.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>

namespace xylem::tools {
namespace {

constexpr double quiet_part = 0.3;  // of the cores

}  // namespace

std::string load_warning() {
  double load = 0;
  const auto cores = static_cast<double>(sysconf(_SC_NPROCESSORS_ONLN));
  if (getloadavg(&load, 1) != 1 || load <= quiet_part * cores) return "";
  return fmt::format("NOTE: this machine was busy before: a load of {:.1f} on {:.0f} cores. Figures may be wrong.\n", load,
                     cores);
}

}  // namespace xylem::tools

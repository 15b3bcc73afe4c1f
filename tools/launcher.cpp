#include "launcher.hpp"

#include <charconv>

namespace xylem::tools {
namespace {

bool any_of(std::string (*variable)(const char*), std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (!variable(name).empty()) return true;
  return false;
}

}  // namespace

std::string launched_by(std::string (*variable)(const char*)) {
  // Open MPI's mpirun, then srun --mpi=pmix, which an Open MPI of today needs; MPICH speaks PMI-1 and PMI-2. The order
  // matters: srun sets PMIX_ beside PMI_ variables.
  if (any_of(variable, {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK"})) return "openmpi";
  if (any_of(variable, {"PMI_RANK", "PMI_FD", "PMI_PORT", "HYDI_CONTROL_FD"})) return "mpich";
  return "";
}

int launched_rank(std::string (*variable)(const char*)) {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"}) {
    const std::string text = variable(name);
    int rank = 0;
    if (std::from_chars(text.data(), text.data() + text.size(), rank).ec == std::errc()) return rank;
  }
  return 0;
}

}  // namespace xylem::tools

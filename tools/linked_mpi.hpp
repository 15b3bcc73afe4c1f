// Which MPI a program is linked with.
#pragma once

#include <string>

namespace xylem::tools {

// "mpich", "openmpi", or empty: with none that is known, or it is no program that ldd understands.
std::string linked_mpi(const std::string& program);

// The same from what ldd says.
std::string mpi_of_libraries(const std::string& ldd_output);

}  // namespace xylem::tools

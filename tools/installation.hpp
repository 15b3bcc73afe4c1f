// Where the parts of Xylem lie relative to this tool, in a build tree and in an installation that was moved as a whole.
#pragma once

#include <filesystem>

namespace xylem::tools {

// The path of libxylem_mpi.so, empty if it is not there.
std::filesystem::path preload_library();

// Where the back ends of a preload library are.
std::filesystem::path back_end_folder(const std::filesystem::path& preload_library);

}  // namespace xylem::tools

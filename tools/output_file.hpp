// Files that a command writes when all its work is done.
#pragma once

#include <string>

namespace xylem::tools {

// Throws std::runtime_error if write_file(path) would fail as things are now, so that nobody measures for nothing. Leaves
// everything as it is.
void check_writable(const std::string& path);

// Throws std::runtime_error.
void write_file(const std::string& path, const std::string& text);

}  // namespace xylem::tools

#pragma once

#include <string>

namespace xylem::preload {

// Puts `text` where `path` leads. A regular file appears whole, by a rename in its own folder, so that a reader never sees
// half of it; what is something else (a pipe, a device) is written to and stays what it is; a pipe that nobody
// reads is a failure. Empty, or what failed.
std::string write_file(const std::string& path, const std::string& text);

}  // namespace xylem::preload

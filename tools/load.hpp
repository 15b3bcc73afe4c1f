// Whether this machine has something else to do than what is measured.
#pragma once

#include <string>

namespace xylem::tools {

// A line that warns of a loaded machine, or nothing. Called before the measurement adds to the load itself.
std::string load_warning();

}  // namespace xylem::tools

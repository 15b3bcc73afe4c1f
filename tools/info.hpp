// `xylem info`: what Xylem sees of this machine, and what it was told.
#pragma once

namespace xylem::tools {

// Prints to stdout, as text or as one JSON object. Returns the exit status.
int run_info(bool json);

}  // namespace xylem::tools

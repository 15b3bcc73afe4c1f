// Turning this process into another program, with Xylem preloaded.
#pragma once

#include <string>
#include <vector>

namespace xylem::tools {

// Exit statuses, as env(1) and the shells use them.
inline constexpr int exit_tool_failed = 125;     // something is missing from the installation
inline constexpr int exit_cannot_execute = 126;  // the program is there and cannot be run
inline constexpr int exit_not_found = 127;       // there is no such program

// `value` of LD_PRELOAD with `library` in front, once.
std::string preload_with(const std::string& library, const std::string& value);

// Executes `command` (program and arguments; the program is looked up in PATH). Returns only on failure: the exit status,
// after a message to stderr that begins with `caller`.
int start_program(const std::vector<std::string>& command, const std::string& caller);

// The same with libxylem_mpi.so in LD_PRELOAD.
int start_preloaded(const std::vector<std::string>& command, const std::string& caller);

}  // namespace xylem::tools

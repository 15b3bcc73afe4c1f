#include "start_program.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/settings.hpp"
#include "installation.hpp"

namespace xylem::tools {

std::string preload_with(const std::string& library, const std::string& value) {
  // The loader takes colons and spaces as separators.
  for (std::size_t begin = 0; begin < value.size();) {
    const std::size_t end = std::min(value.find_first_of(": ", begin), value.size());
    if (value.compare(begin, end - begin, library) == 0) return value;
    begin = end + 1;
  }
  return value.empty() ? library : library + ":" + value;
}

int start_program(const std::vector<std::string>& command, const std::string& caller) {
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  execvp(arguments.front(), arguments.data());
  const int error = errno;
  fmt::print(stderr, "{}: cannot run '{}': {}\n", caller, command.front(), std::strerror(error));
  return error == ENOENT ? exit_not_found : exit_cannot_execute;
}

int start_preloaded(const std::vector<std::string>& command, const std::string& caller) {
  const std::string library = preload_library().string();
  if (library.empty()) {
    fmt::print(stderr, "{}: libxylem_mpi.so is not where it belongs, in ../lib beside this tool\n", caller);
    return exit_tool_failed;
  }
  if (library.find_first_of(": ") != std::string::npos) {
    fmt::print(stderr, "{}: the loader cannot preload {}: its path has a space or a colon\n", caller, library);
    return exit_tool_failed;
  }
  setenv("LD_PRELOAD", preload_with(library, launcher_variable("LD_PRELOAD")).c_str(), 1);
  return start_program(command, caller);
}

}  // namespace xylem::tools

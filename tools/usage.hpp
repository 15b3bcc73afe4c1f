// Complaints about the command line. Under mpirun every rank finds the same mistake; one of them says it.
#pragma once

#include <string>

namespace CLI {  // NOLINT(readability-identifier-naming): the libraries call themselves so
class App;
class ParseError;
}  // namespace CLI

namespace xylem::tools {

inline constexpr int exit_usage = 2;  // wrong arguments

// Prints `text`, which begins with the command that was called, on one rank of the job. Returns the exit status.
int usage_error(const std::string& text);

// Prints what CLI11 found wrong with the words for `app`, or the help or the version that they ask for. Returns the exit
// status.
int explain(const CLI::App& app, const CLI::ParseError& error);

// Complains of the first word that `app` did not understand. Returns the exit status.
int refuse_unknown_word(const CLI::App& app);

}  // namespace xylem::tools

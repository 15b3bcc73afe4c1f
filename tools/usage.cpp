#include "usage.hpp"

#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <chrono>
#include <thread>

#include "base/settings.hpp"
#include "base/spelling.hpp"
#include "launcher.hpp"

namespace xylem::tools {
namespace {

bool speaks() { return launched_rank(launcher_variable) == 0; }

// "xylem bench" of the tool's subcommand, and of the program that the subcommand starts.
std::string full_name(const CLI::App& app) {
  const CLI::App* const parent = app.get_parent();
  return (parent == nullptr ? "" : full_name(*parent) + " ") + app.get_name();
}

}  // namespace

int usage_error(const std::string& text) {
  if (speaks()) {
    fmt::print(stderr, "{}\n", text);
  } else {
    // Open MPI ends the whole job when the first rank ends so: not before that one has spoken.
    constexpr std::chrono::milliseconds patience(300);
    std::this_thread::sleep_for(patience);
  }
  return exit_usage;
}

int explain(const CLI::App& app, const CLI::ParseError& error) {
  if (error.get_exit_code() == 0) return speaks() ? app.exit(error) : 0;
  const auto subcommands = app.get_subcommands();
  const std::string command = full_name(subcommands.empty() ? app : *subcommands.front());
  const std::string what = error.what();
  return usage_error(fmt::format("{0}: {1}{2} See {0} --help.", command, what, what.ends_with('?') ? "" : "."));
}

int refuse_unknown_word(const CLI::App& app) {
  const std::string word = app.remaining().front();
  std::vector<std::string> known;
  if (word.starts_with('-')) {
    for (const CLI::Option* option : app.get_options()) known.push_back(option->get_name());
  } else {
    for (const CLI::App* subcommand : app.get_subcommands({})) known.push_back(subcommand->get_name());
  }
  const std::vector<std::string_view> views(known.begin(), known.end());
  const std::string_view nearest = nearest_name(word, views);
  const std::string meant = nearest.empty() ? "." : fmt::format("; did you mean '{}'?", nearest);
  return usage_error(fmt::format("{0}: '{1}' is not known{2} See {0} --help.", full_name(app), word, meant));
}

}  // namespace xylem::tools

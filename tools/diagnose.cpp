#include "diagnose.hpp"

#include <fmt/format.h>

#include <CLI/App.hpp>
#include <cstring>
#include <fstream>
#include <iostream>

#include "flight/diagnose.hpp"
#include "usage.hpp"

namespace xylem::tools {
namespace {

void read_entries(std::istream& from, std::vector<flight::Entry>& entries) {
  for (std::string line; std::getline(from, line);)
    if (std::optional<flight::Entry> entry = flight::parse(line)) entries.push_back(*std::move(entry));
}

}  // namespace

void add_diagnose_options(CLI::App& app, DiagnoseOptions& options) {
  app.add_option("file", options.files, "What XYLEM_DUMP_FILE made, or the output of a job; - is stdin")->required();
}

int run_diagnose(const DiagnoseOptions& options) {
  std::vector<flight::Entry> entries;
  for (const std::string& name : options.files) {
    if (name == "-") {
      read_entries(std::cin, entries);
      continue;
    }
    std::ifstream file(name);
    if (!file) {
      return usage_error(fmt::format("xylem diagnose: {}: {}", name, std::strerror(errno)));
    }
    read_entries(file, entries);
  }
  if (entries.empty()) {
    return usage_error("xylem diagnose: no records of calls in there. A job writes them on SIGUSR1, or when a rank is late.");
  }
  fmt::print("{}", flight::diagnose(entries));
  return 0;
}

}  // namespace xylem::tools

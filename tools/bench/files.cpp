#include "bench/files.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "bench/compare.hpp"
#include "bench/html/page.hpp"
#include "output_file.hpp"
#include "usage.hpp"

namespace xylem::tools {
namespace {

Run read_run(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  if (!(text << file.rdbuf())) throw std::runtime_error(fmt::format("cannot read {}: {}", path, std::strerror(errno)));
  try {
    return run_from_json(text.str());
  } catch (const std::exception& error) {
    throw std::runtime_error(path + ": " + error.what());
  }
}

}  // namespace

int run_on_files(const BenchOptions& options) try {
  if (!options.compare.empty()) {
    const Comparison comparison = compare_runs(read_run(options.compare.front()), read_run(options.compare.back()));
    fmt::print("{}", comparison.text);
    return comparison.regressed ? 1 : 0;
  }
  std::vector<Run> runs;
  for (const std::string& path : options.from) runs.push_back(read_run(path));
  write_file(options.report_file, html_page(runs));
  return 0;
} catch (const std::exception& error) {
  return usage_error(fmt::format("xylem bench: {}", error.what()));
}

}  // namespace xylem::tools

#include "tune/options.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>

#include "base/spelling.hpp"
#include "coll/collective.hpp"
#include "units.hpp"

namespace xylem::tools {
namespace {

constexpr const char* default_sizes = "8,128,1K,4K,16K,64K,256K,1M,4M,16M";

std::string unknown(const std::string& name) {
  const std::vector<std::string>& names = tunable_collectives();
  if (std::find(names.begin(), names.end(), name) != names.end()) return "";
  return "'" + name + "' is not known" + suggestion(name, std::vector<std::string_view>(names.begin(), names.end()));
}

}  // namespace

const std::vector<std::string>& tunable_collectives() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const coll::CollectiveFacts& facts : coll::kCollectiveFacts)
      if (facts.known_to_all && !facts.uneven) list.emplace_back(facts.name);
    return list;
  }();
  return names;
}

void add_tune_options(CLI::App& app, TuneOptions& options) {
  options.collectives = tunable_collectives();
  options.sizes = *parse_sizes(default_sizes);
  app.add_option_function<std::string>(
         "--collectives",
         [&options](const std::string& text) {
           options.collectives = split_list(text);
           for (const std::string& name : options.collectives)
             if (const std::string what = unknown(name); !what.empty()) throw CLI::ValidationError("--collectives", what);
         },
         "Which, such as allreduce,bcast; default: all but those whose blocks differ")
      ->type_name("NAMES");
  app.add_option_function<std::string>(
         "--sizes",
         [&options](const std::string& text) {
           const auto sizes = parse_sizes(text);
           if (!sizes) throw CLI::ValidationError("--sizes", "'" + text + "' is no list of sizes such as 8,1K,1M or 8-64M");
           options.sizes = *sizes;
           std::sort(options.sizes.begin(), options.sizes.end());
         },
         std::string("Bytes of the whole vector, or of all blocks of a rank together; default: ") + default_sizes)
      ->type_name("SIZES");
  app.add_option("--rounds", options.rounds, "Rounds in which all algorithms take turns, for each size")
      ->type_name("NUMBER")
      ->capture_default_str()
      ->check(CLI::Range(7, 10000));
  app.add_option("--file", options.file, "Where the rules go; rules of other jobs that stand there are kept")
      ->type_name("FILE")
      ->capture_default_str();
  app.add_option("--mpi", options.mpi, "mpich or openmpi: what mpirun is, where that cannot be told from the environment")
      ->type_name("NAME");
}

}  // namespace xylem::tools

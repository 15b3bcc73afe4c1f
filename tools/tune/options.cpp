#include "tune/options.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>

#include "coll/collective.hpp"
#include "list_options.hpp"
#include "units.hpp"

namespace xylem::tools {
namespace {

constexpr const char* default_sizes = "8,128,1K,4K,16K,64K,256K,1M,4M,16M";

}  // namespace

const std::vector<std::string>& tunable_collectives() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const coll::CollectiveFacts& facts : coll::kCollectiveFacts) list.emplace_back(facts.name);
    return list;
  }();
  return names;
}

void add_tune_options(CLI::App& app, TuneOptions& options) {
  for (const coll::CollectiveFacts& facts : coll::kCollectiveFacts)
    if (!facts.uneven) options.collectives.emplace_back(facts.name);
  options.sizes = *parse_sizes(default_sizes);
  add_collectives_option(app, options.collectives, tunable_collectives(),
                         "Which, such as allreduce,bcast; default: all but those whose blocks may differ, which are measured "
                         "with blocks that are alike");
  add_sizes_option(app, "--sizes", options.sizes,
                   std::string("Bytes of the whole vector, or of all blocks of a rank together; default: ") + default_sizes);
  app.parse_complete_callback([&options] { std::sort(options.sizes.begin(), options.sizes.end()); });
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

// The program behind `xylem tune`, built once per MPI. The MPI only brings the ranks together.
#include <fmt/format.h>
#include <mpi.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "bench/mpi_program.hpp"
#include "comm/tuning.hpp"
#include "comm/user_bootstrap.hpp"
#include "load.hpp"
#include "output_file.hpp"
#include "plan/catalogue.hpp"
#include "tune/merge.hpp"
#include "tune/options.hpp"
#include "tune/tuner.hpp"
#include "units.hpp"
#include "xylem/xylem_mpi.h"

namespace xylem::tools {
namespace {

std::string read_file(const std::string& path) {
  std::ifstream stream(path);
  if (!stream) return "";
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

// All or nothing: a file that is read meanwhile is the old one or the new one.
void replace_file(const std::string& path, const std::string& text) {
  const std::string made = path + ".new";
  write_file(made, text);
  if (std::rename(made.c_str(), path.c_str()) != 0)
    throw std::runtime_error(fmt::format("cannot write {}: {}", path, std::strerror(errno)));
}

// What stands in the file must be rules: they are kept.
void check_file(const std::string& path) {
  check_writable(path + ".new");
  std::error_code missing;
  if (!std::filesystem::exists(path, missing)) return;
  if (const std::string trouble = read_tuning(path).trouble; !trouble.empty()) throw std::runtime_error(trouble);
}

std::string origin(const Communicator& comm) {
  const plan::Shape& shape = comm.planner().shape();
  const std::time_t now = std::time(nullptr);
  char date[16] = {};
  std::strftime(date, sizeof date, "%Y-%m-%d", std::localtime(&now));
  return fmt::format("{} ranks on {} host{}, {}", shape.ranks, shape.hosts, shape.hosts == 1 ? "" : "s", date);
}

void print_line(const std::string& collective, const TunedLine& line) {
  const std::string chunk = line.chosen.chunk_bytes == 0 ? "" : " in chunks of " + format_bytes(line.chosen.chunk_bytes);
  const std::string gain = line.planned_seconds > 0 ? fmt::format("{:.2f}", line.planned_seconds / line.seconds) : "-";
  fmt::print("{:<22}{:>10}{:>12}{:>8}  {}{}{}\n", collective, line.chosen.bytes == 0 ? "" : format_bytes(line.chosen.bytes),
             format_microseconds(line.seconds * 1e6), gain, plan::catalogue()[line.chosen.algorithm].name, chunk,
             line.noisy ? "  (noisy)" : "");
  std::fflush(stdout);
}

std::shared_ptr<Bootstrap> make_bootstrap(MPI_Comm* comm) {
  xylem_bootstrap user{};
  MPI_Comm_rank(*comm, &user.rank);
  MPI_Comm_size(*comm, &user.size);
  user.allgather = xylem_mpi_allgather_;
  user.progress = xylem_mpi_progress_;
  user.context = comm;
  return std::make_shared<UserBootstrap>(user);
}

// Where the plan does not know how long blocks are, it is measured with what it takes them to be.
std::vector<std::size_t> sizes_of(coll::Collective collective, const std::vector<std::size_t>& sizes, std::size_t ranks) {
  if (sized(collective)) return sizes;
  return {coll::facts(collective).input == coll::Buffer::none ? 0 : plan::kLikelyBlock * ranks};
}

void run(const TuneOptions& options) {
  MPI_Comm mpi = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &mpi);
  Communicator comm(make_bootstrap(&mpi), Placement::here());
  if (comm.size() < 2) throw std::runtime_error("one rank alone has nothing to choose: mpirun -n 2 xylem tune");
  const bool speaks = comm.rank() == 0;
  if (speaks) {
    check_file(options.file);
    fmt::print("{}\n{}{:<22}{:>10}{:>12}{:>8}\n", origin(comm), load_warning(), "collective", "size", "us", "gain");
  }
  ProgressLine progress(speaks);
  Tuner tuner(mpi, comm, options.rounds, progress);
  std::vector<plan::Rule> rules;
  for (const std::string& name : options.collectives) {
    const coll::Collective collective = *coll::find_collective(name);
    std::vector<TunedSize> sizes;
    for (const TunedLine& line : tuner.tune(collective, sizes_of(collective, options.sizes, comm.size()))) {
      if (speaks) print_line(name, line);
      sizes.push_back(line.chosen);
    }
    const plan::Shape& shape = comm.planner().shape();
    for (const plan::Rule& rule : rules_of(collective, shape.hosts, shape.ranks, sizes)) rules.push_back(rule);
  }
  if (!speaks) return;
  replace_file(options.file, merge_rules(read_file(options.file), rules, origin(comm)));
  fmt::print("{} rule{} in {}: XYLEM_TUNING_FILE={}\n", rules.size(), rules.size() == 1 ? " is" : "s are", options.file,
             options.file);
}

}  // namespace
}  // namespace xylem::tools

int main(int argc, char** argv) try {
  using namespace xylem::tools;
  TuneOptions options;
  CLI::App app("Measures which algorithm is best for which size, and writes rules.", "xylem tune");
  add_tune_options(app, options);
  return run_mpi_program(app, argc, argv, [&] { return run(options), 0; });
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}

#include "bench/peer/command.hpp"

#include <unistd.h>

#include <filesystem>
#include <sstream>
#include <stdexcept>

#include "base/settings.hpp"
#include "bench/options.hpp"

namespace xylem::tools {
namespace {

namespace fs = std::filesystem;

const char* const mpis[] = {"mpich", "openmpi"};

std::optional<fs::path> in_path(const std::string& program) {
  std::istringstream folders(launcher_variable("PATH"));
  for (std::string folder; std::getline(folders, folder, ':');) {
    const fs::path file = fs::path(folder) / program;
    if (access(file.c_str(), X_OK) == 0) return file;
  }
  return std::nullopt;
}

// The benchmark of another MPI lies beside this one.
std::optional<std::vector<std::string>> command_of(const std::string& mpi, int ranks, std::size_t cores) {
  std::error_code missing;
  const fs::path program = fs::read_symlink("/proc/self/exe", missing).parent_path() / ("xylem-bench." + mpi);
  const std::optional<fs::path> mpirun = in_path("mpirun." + mpi);
  if (!mpirun || !fs::exists(program, missing)) return std::nullopt;
  const bool crowded = static_cast<std::size_t>(ranks) > cores;
  std::vector<std::string> command = {*mpirun, "-n", std::to_string(ranks)};
  if (mpi == "openmpi") {
    if (crowded) command.emplace_back("--oversubscribe");
    if (geteuid() == 0) command.emplace_back("--allow-run-as-root");
  } else if (!crowded) {
    command.insert(command.end(), {"-bind-to", "core"});
  }
  command.insert(command.end(), {program, serve_option});
  return command;
}

}  // namespace

PeerChoice parse_peer(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) return {text, std::nullopt};
  return {text.substr(0, equals), text.substr(equals + 1)};
}

std::map<std::string, std::vector<std::string>> peer_commands(const std::vector<std::string>& asked,
                                                              const std::string& own_mpi, int ranks, std::size_t cores) {
  std::map<std::string, std::vector<std::string>> commands;
  if (asked.empty()) {
    for (const char* mpi : mpis)
      if (mpi != own_mpi)
        if (const auto command = command_of(mpi, ranks, cores)) commands.emplace(mpi, *command);
    return commands;
  }
  for (const std::string& text : asked) {
    const PeerChoice choice = parse_peer(text);
    if (choice.name == no_peer) continue;
    if (choice.command) {
      commands[choice.name] = {"/bin/sh", "-c", "exec " + *choice.command};
    } else if (const auto command = command_of(choice.name, ranks, cores)) {
      commands[choice.name] = *command;
    } else {
      throw std::runtime_error("--peer: " + choice.name + " is not here: it takes mpirun." + choice.name +
                               " and a Xylem that was built for it, or NAME=COMMAND");
    }
  }
  return commands;
}

}  // namespace xylem::tools

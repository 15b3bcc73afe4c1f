// How peers are started.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace xylem::tools {

// What --peer says: a name, and the command behind "=", if there is one.
struct PeerChoice {
  std::string name;
  std::optional<std::string> command;
};
PeerChoice parse_peer(const std::string& text);

// The peers of a job of `ranks` ranks on `cores` cores, name and command line each: those that were asked for, or the other
// MPI where its benchmark and its mpirun are installed. `own_mpi` is "mpich" or "openmpi". Throws std::runtime_error for one
// that was asked for and is not there.
std::map<std::string, std::vector<std::string>> peer_commands(const std::vector<std::string>& asked,
                                                              const std::string& own_mpi, int ranks, std::size_t cores);

}  // namespace xylem::tools

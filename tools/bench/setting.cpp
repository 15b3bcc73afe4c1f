#include "bench/setting.hpp"

#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <fstream>

#include "base/settings.hpp"
#include "base/version.hpp"
#include "bench/sides.hpp"
#include "load.hpp"

namespace xylem::tools {
namespace {

constexpr int tag = 1;

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "unknown";
}

using Name = std::array<char, sizeof utsname::nodename>;

// Everybody's `mine`, in the order of ranks, on rank 0. The program's own collectives would be counted as measured.
template <class Value>
std::vector<Value> on_first(MPI_Comm comm, const Value& mine) {
  int rank = 0, ranks = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  if (rank != 0) {
    MPI_Send(&mine, sizeof mine, MPI_BYTE, 0, tag, comm);
    return {};
  }
  std::vector<Value> all(static_cast<std::size_t>(ranks), mine);
  for (int from = 1; from < ranks; ++from)
    MPI_Recv(&all[static_cast<std::size_t>(from)], sizeof mine, MPI_BYTE, from, tag, comm, MPI_STATUS_IGNORE);
  return all;
}

Name host_name() {
  utsname system{};
  uname(&system);
  Name name{};
  std::memcpy(name.data(), system.nodename, name.size());
  return name;
}

}  // namespace

const char* mpi_name() {
#ifdef MPICH_VERSION
  return "mpich";
#else
  return "openmpi";
#endif
}

std::string mpi_version() {
#ifdef MPICH_VERSION
  return std::string("MPICH ") + MPICH_VERSION;
#else
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  return {text.data(), std::strcspn(text.data(), ",\n")};
#endif
}

Setting collect_setting(MPI_Comm comm, const BenchOptions& options, const std::vector<std::string>& command) {
  Setting setting;
  const std::vector<Name> names = on_first(comm, host_name());
  for (const Name& name : names) ++setting.hosts[name.data()];
  if (names.empty()) return setting;
  setting.ranks = static_cast<int>(names.size());
  utsname system{};
  uname(&system);
  setting.processor = processor_name();
  setting.kernel = std::string(system.sysname) + " " + system.release;
  setting.cores = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  setting.mpi_version = mpi_version();
  setting.xylem_version = kVersion;
  setting.xylem_loaded = xylem_is_preloaded();
  setting.load_warning = load_warning();
  setting.command = command;
  setting.type = options.type;
  setting.op = options.op;
  setting.reproducible = settings().reproducible;
  return setting;
}

std::vector<int> cores_in_use(MPI_Comm comm) {
  cpu_set_t mine;
  CPU_ZERO(&mine);
  sched_getaffinity(0, sizeof mine, &mine);
  const std::vector<cpu_set_t> sets = on_first(comm, mine);
  const std::vector<Name> names = on_first(comm, host_name());
  cpu_set_t used;
  CPU_ZERO(&used);
  std::size_t ranks_here = 0;
  for (std::size_t rank = 0; rank < names.size(); ++rank) {
    if (names[rank] != names.front()) continue;
    CPU_OR(&used, &used, &sets[rank]);
    ++ranks_here;
  }
  std::vector<int> cores;
  for (int core = 0; core < CPU_SETSIZE && cores.size() < ranks_here; ++core)
    if (CPU_ISSET(core, &used)) cores.push_back(core);
  return cores;
}

}  // namespace xylem::tools

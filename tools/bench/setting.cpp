#include "bench/setting.hpp"

#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <fstream>

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

std::string mpi_version() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
#ifdef MPICH_VERSION
  return std::string("MPICH ") + MPICH_VERSION;
#else
  return {text.data(), std::strcspn(text.data(), ",\n")};
#endif
}

}  // namespace

Setting collect_setting(MPI_Comm comm, int argc, char** argv) {
  Setting setting;
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &setting.ranks);

  utsname system{};
  uname(&system);
  std::array<char, sizeof system.nodename> name{};
  std::memcpy(name.data(), system.nodename, name.size());
  if (rank != 0) {
    MPI_Send(name.data(), static_cast<int>(name.size()), MPI_CHAR, 0, tag, comm);
    return setting;
  }
  ++setting.hosts[name.data()];
  for (int from = 1; from < setting.ranks; ++from) {
    MPI_Recv(name.data(), static_cast<int>(name.size()), MPI_CHAR, from, tag, comm, MPI_STATUS_IGNORE);
    ++setting.hosts[name.data()];
  }
  setting.processor = processor_name();
  setting.kernel = std::string(system.sysname) + " " + system.release;
  setting.cores = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  setting.mpi_version = mpi_version();
  setting.xylem_version = kVersion;
  setting.xylem_loaded = xylem_is_preloaded();
  setting.load_warning = load_warning();
  setting.command.assign(argv, argv + argc);
  return setting;
}

}  // namespace xylem::tools

#include "backend/running.hpp"

#include <mpi.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <string>

#include "backend/communicators.hpp"
#include "backend/mpi_functions.hpp"
#include "backend/own_communicators.hpp"
#include "backend/presence.hpp"
#include "backend/reductions.hpp"
#include "backend/requests/request_table.hpp"
#include "backend/selection.hpp"
#include "backend/statistics.hpp"
#include "base/log.hpp"
#include "base/settings.hpp"

namespace xylem::preload {
namespace {

void introduce(int rank) {
  std::array<char, HOST_NAME_MAX + 1> host{};
  gethostname(host.data(), host.size() - 1);
  log::set_identity(rank, settings().host_id.empty() ? std::string(host.data()) : settings().host_id);
}

int world_rank() {
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

int world_size() {
  int size = 0;
  PMPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

// Empty: no statistics are wanted. Worlds that a program spawns inherit its settings, and must not write over its file. They
// are told by their parent, which is there until the program disconnects. MPI_Finalize may come when static objects have
// gone.
std::string& statistics_file = *new std::string;

void name_statistics_file() {
  statistics_file = settings().stats_file;
  if (statistics_file.empty()) return;
  MPI_Comm parent = MPI_COMM_NULL;
  real().Comm_get_parent(&parent);
  if (parent != MPI_COMM_NULL) statistics_file += ".spawned-" + std::to_string(getpid());
}

void write_statistics_on_rank_0(const std::string& why_off) {
  if (!statistics_file.empty() && world_rank() == 0) write_statistics(statistics_file, world_size(), why_off);
}

int stop(MPI_Comm, int, void*, void*) {
  write_statistics_on_rank_0("");
  RequestTable::of_process().abandon_all();
  stop_communicators();
  free_own_communicators();
  return MPI_SUCCESS;
}

// MPI_Finalize first deletes the attributes of MPI_COMM_SELF, the latest first (MPI-4.0 section 11.2.4), while all of MPI
// still works. Ours is the first that was set, so collectives in the program's own callbacks still run as they do elsewhere.
void stop_in_finalize() {
  int keyval = MPI_KEYVAL_INVALID;
  PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, stop, &keyval, nullptr);
  PMPI_Comm_set_attr(MPI_COMM_SELF, keyval, nullptr);
  PMPI_Comm_free_keyval(&keyval);
}

void start() {
  if (!settings().stats_file.empty()) start_counting();
  make_own_communicators();
  learn_predefined_handles();
  agree_on_selection();
  stop_in_finalize();
  start_communicators();
}

template <class Function, class... Args>
int initialise(Function* function, Args... args) {
  if (InsideMpi::here()) return function(args...);
  Presence presence(!settings().disable);
  const int code = call_mpi(MPI_COMM_NULL, function, args...);
  if (code != MPI_SUCCESS) return code;
  const int rank = world_rank();
  introduce(rank);
  name_statistics_file();
  if (presence.agree(rank, world_size())) {
    start();
  } else {
    write_statistics_on_rank_0(presence.why_off());
    front().leave_to_mpi();
  }
  return code;
}

}  // namespace

int init(int* argc, char*** argv) noexcept { return initialise(real().Init, argc, argv); }

int init_thread(int* argc, char*** argv, int required, int* provided) noexcept {
  return initialise(real().Init_thread, argc, argv, required, provided);
}

}  // namespace xylem::preload

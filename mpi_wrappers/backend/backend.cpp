// Where the front comes in: what this back end puts into the table of jumps.
#include <string>

#include "backend/collectives/collectives.hpp"
#include "backend/communicator_calls.hpp"
#include "backend/errors.hpp"
#include "backend/mpi_functions.hpp"
#include "backend/requests/completion_calls.hpp"
#include "backend/requests/request_calls.hpp"
#include "backend/running.hpp"
#include "backend/user_operations.hpp"
#include "xylem/xylem.h"

namespace xylem::preload {
namespace {

// All of them are noexcept: a program in C could not catch what they throw, which is only that there is no memory.
MpiFunctions wrappers() {
  MpiFunctions w;
  w.Init = init;
  w.Init_thread = init_thread;

  w.Cancel = cancel;
  w.Request_free = request_free;
  w.Start = start;
  w.Startall = startall;

  w.Error_string = error_string;
  w.Op_free = op_free;

  w.Request_get_status = Completing<&MpiFunctions::Request_get_status, request_get_status>::call;
  w.Request_get_status_all = Completing<&MpiFunctions::Request_get_status_all, request_get_status_all>::call;
  w.Request_get_status_any = Completing<&MpiFunctions::Request_get_status_any, request_get_status_any>::call;
  w.Request_get_status_some = Completing<&MpiFunctions::Request_get_status_some, request_get_status_some>::call;
  w.Test = Completing<&MpiFunctions::Test, test>::call;
  w.Testall = Completing<&MpiFunctions::Testall, testall>::call;
  w.Testany = Completing<&MpiFunctions::Testany, testany>::call;
  w.Testsome = Completing<&MpiFunctions::Testsome, testsome>::call;
  w.Wait = Completing<&MpiFunctions::Wait, wait>::call;
  w.Waitall = Completing<&MpiFunctions::Waitall, waitall>::call;
  w.Waitany = Completing<&MpiFunctions::Waitany, waitany>::call;
  w.Waitsome = Completing<&MpiFunctions::Waitsome, waitsome>::call;

  w.Cart_create = cart_create;
  w.Cart_sub = cart_sub;
  w.Comm_accept = comm_accept;
  w.Comm_connect = comm_connect;
  w.Comm_create = comm_create;
  w.Comm_create_from_group = comm_create_from_group;
  w.Comm_create_group = comm_create_group;
  w.Comm_disconnect = comm_disconnect;
  w.Comm_dup = comm_dup;
  w.Comm_dup_with_info = comm_dup_with_info;
  w.Comm_free = comm_free;
  w.Comm_get_parent = comm_get_parent;
  w.Comm_idup = comm_idup;
  w.Comm_idup_with_info = comm_idup_with_info;
  w.Comm_join = comm_join;
  w.Comm_spawn = comm_spawn;
  w.Comm_spawn_multiple = comm_spawn_multiple;
  w.Comm_split = comm_split;
  w.Comm_split_type = comm_split_type;
  w.Dist_graph_create = dist_graph_create;
  w.Dist_graph_create_adjacent = dist_graph_create_adjacent;
  w.Graph_create = graph_create;
  w.Intercomm_create = intercomm_create;
  w.Intercomm_create_from_groups = intercomm_create_from_groups;
  w.Intercomm_merge = intercomm_merge;
  return w;
}

const char* open_backend(const xylem_mpi_front& front, xylem_mpi_function* wrapper) {
  if (front.functions != XYLEM_MPI_FUNCTIONS) return "libxylem_mpi.so and its back end are of different versions";
  const MpiFunctions ours = wrappers();
  detail::front = &front;
#define FUNCTION(name) detail::real_functions.name = reinterpret_cast<decltype(&PMPI_##name)>(front.real[XYLEM_MPI_##name]);
#define EXTENSION(name)
#define COLLECTIVE(name, nonblocking) FUNCTION(name)
#include "front/functions.def"
#undef EXTENSION
#undef FUNCTION
  make_up_for_later_functions(detail::real_functions);
#define FUNCTION(name)                                \
  if (ours.name != nullptr && real().name != nullptr) \
    wrapper[XYLEM_MPI_##name] = reinterpret_cast<xylem_mpi_function>(ours.name);
#define EXTENSION(name)
#define COLLECTIVE(name, nonblocking) FUNCTION(name)
#include "front/functions.def"
#undef EXTENSION
#undef FUNCTION
  take_over_collectives(wrapper);
  return nullptr;
}

}  // namespace
}  // namespace xylem::preload

extern "C" XYLEM_API const char* xylem_mpi_backend_open(const xylem_mpi_front* front, xylem_mpi_function* wrapper) {
  return xylem::preload::open_backend(*front, wrapper);
}

#include "backend/communicator_calls.hpp"

#include "backend/communicators.hpp"
#include "backend/groups.hpp"
#include "backend/mpi_functions.hpp"

namespace xylem::preload {
namespace {

// A call from which Xylem learns only that the handle is that of another communicator now. `around`: the one it is called on.
template <class Function, class... Args>
int create_unready(Function* function, MPI_Comm* new_comm, MPI_Comm around, Args... args) {
  const int code = call_mpi(around, function, args...);
  if (code == MPI_SUCCESS && *new_comm != MPI_COMM_NULL) is_made(*new_comm);
  return code;
}

// Of a communicator that all ranks of the parent have made in one call.
void make_ready_within(const Communicator& known_parent, MPI_Comm parent, MPI_Comm new_comm) {
  if (known_parent.xylem != nullptr)
    make_ready_from(known_parent, parent, new_comm);
  else if (new_comm != MPI_COMM_NULL)
    make_ready(new_comm);
}

// A call in which all ranks of the parent take part.
template <class Function, class... Args>
int create(Function* function, MPI_Comm* new_comm, MPI_Comm parent, Args... args) {
  const Communicator& known_parent = find(parent);
  const int code = create_unready(function, new_comm, parent, parent, args..., new_comm);
  if (code == MPI_SUCCESS) make_ready_within(known_parent, parent, *new_comm);
  return code;
}

// A call in which the ranks of the new communicator take part, and perhaps no others.
template <class Function, class... Args>
int create_alone(Function* function, MPI_Comm* new_comm, MPI_Comm parent, Args... args) {
  const int code = create_unready(function, new_comm, parent, parent, args..., new_comm);
  if (code == MPI_SUCCESS && *new_comm != MPI_COMM_NULL) make_ready(*new_comm);
  return code;
}

int end(int (*function)(MPI_Comm*), MPI_Comm* comm) {
  if (comm == nullptr) return function(comm);
  Ending ending(*comm);
  const int code = function(comm);
  if (code != MPI_SUCCESS) ending.refused();
  return code;
}

}  // namespace

int cart_create(MPI_Comm comm, int dimensions, const int dims[], const int periods[], int reorder,
                MPI_Comm* new_comm) noexcept {
  return create(real().Cart_create, new_comm, comm, dimensions, dims, periods, reorder);
}

int cart_sub(MPI_Comm comm, const int remain[], MPI_Comm* new_comm) noexcept {
  return create(real().Cart_sub, new_comm, comm, remain);
}

int comm_accept(const char* port, MPI_Info info, int root, MPI_Comm comm, MPI_Comm* new_comm) noexcept {
  return create_unready(real().Comm_accept, new_comm, comm, port, info, root, comm, new_comm);
}

int comm_connect(const char* port, MPI_Info info, int root, MPI_Comm comm, MPI_Comm* new_comm) noexcept {
  return create_unready(real().Comm_connect, new_comm, comm, port, info, root, comm, new_comm);
}

// With a group that does not lie within `comm` an MPI may fail on the ranks of that group only: then none makes it ready.
int comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm* new_comm) noexcept {
  const Communicator& parent = find(comm);
  const int code = create_unready(real().Comm_create, new_comm, comm, comm, group, new_comm);
  if (code == MPI_SUCCESS && lies_within_group_of(group, comm)) make_ready_within(parent, comm, *new_comm);
  return code;
}

int comm_create_from_group(MPI_Group group, const char* tag, MPI_Info info, MPI_Errhandler handler,
                           MPI_Comm* new_comm) noexcept {
  return create_unready(real().Comm_create_from_group, new_comm, MPI_COMM_NULL, group, tag, info, handler, new_comm);
}

int comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* new_comm) noexcept {
  return create_alone(real().Comm_create_group, new_comm, comm, group, tag);
}

int comm_disconnect(MPI_Comm* comm) noexcept { return end(real().Comm_disconnect, comm); }

int comm_dup(MPI_Comm comm, MPI_Comm* new_comm) noexcept { return create(real().Comm_dup, new_comm, comm); }

int comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* new_comm) noexcept {
  return create(real().Comm_dup_with_info, new_comm, comm, info);
}

int comm_free(MPI_Comm* comm) noexcept { return end(real().Comm_free, comm); }

int comm_get_parent(MPI_Comm* parent) noexcept {
  return create_unready(real().Comm_get_parent, parent, MPI_COMM_NULL, parent);
}

int comm_idup(MPI_Comm comm, MPI_Comm* new_comm, MPI_Request* request) noexcept {
  return create_unready(real().Comm_idup, new_comm, comm, comm, new_comm, request);
}

int comm_idup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* new_comm, MPI_Request* request) noexcept {
  return create_unready(real().Comm_idup_with_info, new_comm, comm, comm, info, new_comm, request);
}

int comm_join(int fd, MPI_Comm* new_comm) noexcept {
  return create_unready(real().Comm_join, new_comm, MPI_COMM_NULL, fd, new_comm);
}

int comm_spawn(const char* command, char* argv[], int count, MPI_Info info, int root, MPI_Comm comm, MPI_Comm* new_comm,
               int codes[]) noexcept {
  return create_unready(real().Comm_spawn, new_comm, comm, command, argv, count, info, root, comm, new_comm, codes);
}

int comm_spawn_multiple(int n, char* commands[], char** argvs[], const int counts[], const MPI_Info infos[], int root,
                        MPI_Comm comm, MPI_Comm* new_comm, int codes[]) noexcept {
  return create_unready(real().Comm_spawn_multiple, new_comm, comm, n, commands, argvs, counts, infos, root, comm, new_comm,
                        codes);
}

int comm_split(MPI_Comm comm, int color, int key, MPI_Comm* new_comm) noexcept {
  return create(real().Comm_split, new_comm, comm, color, key);
}

int comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* new_comm) noexcept {
  return create(real().Comm_split_type, new_comm, comm, type, key, info);
}

int dist_graph_create(MPI_Comm comm, int n, const int sources[], const int degrees[], const int destinations[],
                      const int weights[], MPI_Info info, int reorder, MPI_Comm* new_comm) noexcept {
  return create(real().Dist_graph_create, new_comm, comm, n, sources, degrees, destinations, weights, info, reorder);
}

int dist_graph_create_adjacent(MPI_Comm comm, int indegree, const int sources[], const int source_weights[], int outdegree,
                               const int destinations[], const int destination_weights[], MPI_Info info, int reorder,
                               MPI_Comm* new_comm) noexcept {
  return create(real().Dist_graph_create_adjacent, new_comm, comm, indegree, sources, source_weights, outdegree, destinations,
                destination_weights, info, reorder);
}

int graph_create(MPI_Comm comm, int nodes, const int index[], const int edges[], int reorder, MPI_Comm* new_comm) noexcept {
  return create(real().Graph_create, new_comm, comm, nodes, index, edges, reorder);
}

int intercomm_create(MPI_Comm comm, int leader, MPI_Comm peers, int remote_leader, int tag, MPI_Comm* new_comm) noexcept {
  return create_unready(real().Intercomm_create, new_comm, comm, comm, leader, peers, remote_leader, tag, new_comm);
}

int intercomm_create_from_groups(MPI_Group local_group, int local_leader, MPI_Group remote_group, int remote_leader,
                                 const char* tag, MPI_Info info, MPI_Errhandler handler, MPI_Comm* new_comm) noexcept {
  return create_unready(real().Intercomm_create_from_groups, new_comm, MPI_COMM_NULL, local_group, local_leader, remote_group,
                        remote_leader, tag, info, handler, new_comm);
}

int intercomm_merge(MPI_Comm comm, int high, MPI_Comm* new_comm) noexcept {
  return create_alone(real().Intercomm_merge, new_comm, comm, high);
}

}  // namespace xylem::preload

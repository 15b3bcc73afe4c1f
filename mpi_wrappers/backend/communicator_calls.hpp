// The MPI calls that make communicators: the MPI makes them, and Xylem makes its own beside, in the same call, as all their
// ranks are in it. Where that may wait for nobody (MPI_Comm_idup), or where ranks of others take part, the first blocking
// collective does so. And those that end them.
#pragma once

#include <mpi.h>

namespace xylem::preload {

int cart_create(MPI_Comm comm, int dimensions, const int dims[], const int periods[], int reorder,
                MPI_Comm* new_comm) noexcept;
int cart_sub(MPI_Comm comm, const int remain[], MPI_Comm* new_comm) noexcept;
int comm_accept(const char* port, MPI_Info info, int root, MPI_Comm comm, MPI_Comm* new_comm) noexcept;
int comm_connect(const char* port, MPI_Info info, int root, MPI_Comm comm, MPI_Comm* new_comm) noexcept;
int comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm* new_comm) noexcept;
int comm_create_from_group(MPI_Group group, const char* tag, MPI_Info info, MPI_Errhandler handler,
                           MPI_Comm* new_comm) noexcept;
int comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* new_comm) noexcept;
int comm_disconnect(MPI_Comm* comm) noexcept;
int comm_dup(MPI_Comm comm, MPI_Comm* new_comm) noexcept;
int comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* new_comm) noexcept;
int comm_free(MPI_Comm* comm) noexcept;
int comm_get_parent(MPI_Comm* parent) noexcept;
int comm_idup(MPI_Comm comm, MPI_Comm* new_comm, MPI_Request* request) noexcept;
int comm_idup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* new_comm, MPI_Request* request) noexcept;
int comm_join(int fd, MPI_Comm* new_comm) noexcept;
int comm_spawn(const char* command, char* argv[], int count, MPI_Info info, int root, MPI_Comm comm, MPI_Comm* new_comm,
               int codes[]) noexcept;
int comm_spawn_multiple(int n, char* commands[], char** argvs[], const int counts[], const MPI_Info infos[], int root,
                        MPI_Comm comm, MPI_Comm* new_comm, int codes[]) noexcept;
int comm_split(MPI_Comm comm, int color, int key, MPI_Comm* new_comm) noexcept;
int comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* new_comm) noexcept;
int dist_graph_create(MPI_Comm comm, int n, const int sources[], const int degrees[], const int destinations[],
                      const int weights[], MPI_Info info, int reorder, MPI_Comm* new_comm) noexcept;
int dist_graph_create_adjacent(MPI_Comm comm, int indegree, const int sources[], const int source_weights[], int outdegree,
                               const int destinations[], const int destination_weights[], MPI_Info info, int reorder,
                               MPI_Comm* new_comm) noexcept;
int graph_create(MPI_Comm comm, int nodes, const int index[], const int edges[], int reorder, MPI_Comm* new_comm) noexcept;
int intercomm_create(MPI_Comm comm, int leader, MPI_Comm peers, int remote_leader, int tag, MPI_Comm* new_comm) noexcept;
int intercomm_create_from_groups(MPI_Group local_group, int local_leader, MPI_Group remote_group, int remote_leader,
                                 const char* tag, MPI_Info info, MPI_Errhandler handler, MPI_Comm* new_comm) noexcept;
int intercomm_merge(MPI_Comm comm, int high, MPI_Comm* new_comm) noexcept;

}  // namespace xylem::preload

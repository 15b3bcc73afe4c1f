// Functions of functions.def, and others, that came into MPI with later versions than the mpi.h in use. The MPI in the
// process may be newer than that. Where mpi.h has them, they are declared twice alike. Weak ones are called by their name:
// null where the MPI does not have them.
#pragma once

#include <mpi.h>

// NOLINTBEGIN(readability-identifier-naming, readability-redundant-declaration)
extern "C" {

// MPI 4.0
int PMPI_Barrier_init(MPI_Comm comm, MPI_Info info, MPI_Request* request);
[[gnu::weak]] int PMPI_Type_get_contents_c(MPI_Datatype datatype, MPI_Count max_integers, MPI_Count max_addresses,
                                           MPI_Count max_large_counts, MPI_Count max_datatypes, int array_of_integers[],
                                           MPI_Aint array_of_addresses[], MPI_Count array_of_large_counts[],
                                           MPI_Datatype array_of_datatypes[]);
[[gnu::weak]] int PMPI_Type_get_envelope_c(MPI_Datatype datatype, MPI_Count* num_integers, MPI_Count* num_addresses,
                                           MPI_Count* num_large_counts, MPI_Count* num_datatypes, int* combiner);
int PMPI_Comm_create_from_group(MPI_Group group, const char* stringtag, MPI_Info info, MPI_Errhandler errhandler,
                                MPI_Comm* newcomm);
int PMPI_Comm_idup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* newcomm, MPI_Request* request);
int PMPI_Intercomm_create_from_groups(MPI_Group local_group, int local_leader, MPI_Group remote_group, int remote_leader,
                                      const char* stringtag, MPI_Info info, MPI_Errhandler errhandler,
                                      MPI_Comm* newintercomm);

// MPI 4.1
int PMPI_Request_get_status_all(int count, const MPI_Request requests[], int* flag, MPI_Status statuses[]);
int PMPI_Request_get_status_any(int count, const MPI_Request requests[], int* index, int* flag, MPI_Status* status);
int PMPI_Request_get_status_some(int count, const MPI_Request requests[], int* out_count, int indices[],
                                 MPI_Status statuses[]);

}  // extern "C"
// NOLINTEND(readability-identifier-naming, readability-redundant-declaration)

namespace xylem::preload {

struct MpiFunctions;

// Puts functions of ours in the place of those of MPI 4.1 that the MPI does not have: the front exports them, and programs
// may look whether they are there. An inactive request that is not MPI_REQUEST_NULL counts as one that has ended.
void make_up_for_later_functions(MpiFunctions& functions);

}  // namespace xylem::preload

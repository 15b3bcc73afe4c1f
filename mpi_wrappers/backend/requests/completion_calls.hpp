// The MPI's functions that complete requests, or ask for their status: with collectives on Xylem among them they go on with
// these and then let the MPI complete what has ended. Without, they are the MPI's own, for one branch.
#pragma once

#include <mpi.h>

namespace xylem::preload {

int wait(MPI_Request* request, MPI_Status* status) noexcept;
int waitall(int count, MPI_Request requests[], MPI_Status statuses[]) noexcept;
int waitany(int count, MPI_Request requests[], int* index, MPI_Status* status) noexcept;
int waitsome(int count, MPI_Request requests[], int* completed, int indices[], MPI_Status statuses[]) noexcept;

int test(MPI_Request* request, int* flag, MPI_Status* status) noexcept;
int testall(int count, MPI_Request requests[], int* flag, MPI_Status statuses[]) noexcept;
int testany(int count, MPI_Request requests[], int* index, int* flag, MPI_Status* status) noexcept;
int testsome(int count, MPI_Request requests[], int* completed, int indices[], MPI_Status statuses[]) noexcept;

int request_get_status(MPI_Request request, int* flag, MPI_Status* status) noexcept;
int request_get_status_all(int count, const MPI_Request requests[], int* flag, MPI_Status statuses[]) noexcept;
int request_get_status_any(int count, const MPI_Request requests[], int* index, int* flag, MPI_Status* status) noexcept;
int request_get_status_some(int count, const MPI_Request requests[], int* completed, int indices[],
                            MPI_Status statuses[]) noexcept;

}  // namespace xylem::preload

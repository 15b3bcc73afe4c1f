// The MPI's functions that complete requests, or ask for their status, where collectives on Xylem may be among these: they go
// on with them and then let the MPI complete what has ended.
#pragma once

#include <mpi.h>

#include "backend/mpi_functions.hpp"
#include "backend/requests/collective_request.hpp"

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

// What the program calls: the MPI's own function, for one branch, while no request of ours is active, and else `ours`.
template <auto mpi, auto ours>
struct Completing;

template <class... Args, int (*MpiFunctions::*mpi)(Args...), int (*ours)(Args...) noexcept>
struct Completing<mpi, ours> {
  static int call(Args... args) {
    if (CollectiveRequest::none_active()) [[likely]]
      return (real().*mpi)(args...);
    return ours(args...);
  }
};

}  // namespace xylem::preload

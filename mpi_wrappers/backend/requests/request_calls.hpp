// The MPI's functions that start, free or cancel requests.
#pragma once

#include <mpi.h>

namespace xylem::preload {

int start(MPI_Request* request) noexcept;
int startall(int count, MPI_Request requests[]) noexcept;
int request_free(MPI_Request* request) noexcept;
int cancel(MPI_Request* request) noexcept;

}  // namespace xylem::preload

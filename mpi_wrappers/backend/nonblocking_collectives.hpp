// Nonblocking and persistent collectives as the program calls them: requests of Xylem (backend/requests/), or handed down
// whole, by the same rules as the blocking ones.
#pragma once

#include <mpi.h>

namespace xylem::preload {

int iallreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
               MPI_Request* request) noexcept;
int allreduce_init(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                   MPI_Info info, MPI_Request* request) noexcept;
int ibarrier(MPI_Comm comm, MPI_Request* request) noexcept;
int barrier_init(MPI_Comm comm, MPI_Info info, MPI_Request* request) noexcept;

}  // namespace xylem::preload

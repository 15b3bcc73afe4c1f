// MPI_Allreduce and its like as the program calls them: run on Xylem or handed down whole.
//
// Which of the two is decided only from what MPI guarantees to be equal on all ranks of a call (DESIGN 4): communicator,
// operation, root, and for reductions the predefined type and the count. The exception are arguments that are wrong: these go
// to the MPI, which refuses them on the spot and reports them as its users know it.
#pragma once

#include <mpi.h>

namespace xylem::preload {

int allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype,
              MPI_Comm comm) noexcept;
int allreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) noexcept;
int barrier(MPI_Comm comm) noexcept;
int bcast(void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm) noexcept;
int reduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm) noexcept;
int reduce_scatter_block(const void* sendbuf, void* recvbuf, int recvcount, MPI_Datatype datatype, MPI_Op op,
                         MPI_Comm comm) noexcept;

}  // namespace xylem::preload

// One function per collective: checks the arguments, resolves "in place" and what is ignored at this rank, and makes the
// Call. The blocking and the nonblocking form of a collective both begin here.
#pragma once

#include "api/check.hpp"

namespace xylem::api {

CheckedCall allreduce(const void* sendbuf, void* recvbuf, std::size_t count, xylem_type type, xylem_op op, xylem_comm_t comm,
                      xylem_stream_t stream);
CheckedCall reduce(const void* sendbuf, void* recvbuf, std::size_t count, xylem_type type, xylem_op op, int root,
                   xylem_comm_t comm, xylem_stream_t stream);
CheckedCall bcast(void* buffer, std::size_t count, xylem_type type, int root, xylem_comm_t comm, xylem_stream_t stream);
CheckedCall allgather(const void* sendbuf, void* recvbuf, std::size_t count, xylem_type type, xylem_comm_t comm,
                      xylem_stream_t stream);
CheckedCall reduce_scatter_block(const void* sendbuf, void* recvbuf, std::size_t count, xylem_type type, xylem_op op,
                                 xylem_comm_t comm, xylem_stream_t stream);
CheckedCall barrier(xylem_comm_t comm, xylem_stream_t stream);
CheckedCall allgatherv(const void* sendbuf, std::size_t sendcount, void* recvbuf, const std::size_t* recvcounts,
                       const std::size_t* displs, xylem_type type, xylem_comm_t comm, xylem_stream_t stream);
CheckedCall reduce_scatter(const void* sendbuf, void* recvbuf, const std::size_t* recvcounts, xylem_type type, xylem_op op,
                           xylem_comm_t comm, xylem_stream_t stream);
CheckedCall alltoall(const void* sendbuf, void* recvbuf, std::size_t count, xylem_type type, xylem_comm_t comm,
                     xylem_stream_t stream);
CheckedCall alltoallv(const void* sendbuf, const std::size_t* sendcounts, const std::size_t* sdispls, void* recvbuf,
                      const std::size_t* recvcounts, const std::size_t* rdispls, xylem_type type, xylem_comm_t comm,
                      xylem_stream_t stream);
CheckedCall alltoallw(const void* sendbuf, const std::size_t* sendbytes, const std::size_t* sdispls, void* recvbuf,
                      const std::size_t* recvbytes, const std::size_t* rdispls, xylem_comm_t comm, xylem_stream_t stream);
CheckedCall gather(const void* sendbuf, void* recvbuf, std::size_t count, xylem_type type, int root, xylem_comm_t comm,
                   xylem_stream_t stream);
CheckedCall gatherv(const void* sendbuf, std::size_t sendcount, void* recvbuf, const std::size_t* recvcounts,
                    const std::size_t* displs, xylem_type type, int root, xylem_comm_t comm, xylem_stream_t stream);
CheckedCall scatter(const void* sendbuf, void* recvbuf, std::size_t count, xylem_type type, int root, xylem_comm_t comm,
                    xylem_stream_t stream);
CheckedCall scatterv(const void* sendbuf, const std::size_t* sendcounts, const std::size_t* displs, void* recvbuf,
                     std::size_t recvcount, xylem_type type, int root, xylem_comm_t comm, xylem_stream_t stream);
CheckedCall scan(const void* sendbuf, void* recvbuf, std::size_t count, xylem_type type, xylem_op op, xylem_comm_t comm,
                 xylem_stream_t stream);
CheckedCall exscan(const void* sendbuf, void* recvbuf, std::size_t count, xylem_type type, xylem_op op, xylem_comm_t comm,
                   xylem_stream_t stream);

}  // namespace xylem::api

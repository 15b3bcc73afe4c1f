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

}  // namespace xylem::api

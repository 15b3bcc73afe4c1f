// The collectives of the C API: each checks its arguments (api/calls.hpp) and submits the call.
#include "api/calls.hpp"
#include "api/submit.hpp"

using namespace xylem;

xylem_status xylem_allreduce(const void* sendbuf, void* recvbuf, size_t count, xylem_type type, xylem_op op,
                             xylem_comm_t comm, xylem_stream_t stream) {
  return api::run("xylem_allreduce", api::allreduce(sendbuf, recvbuf, count, type, op, comm, stream));
}

xylem_status xylem_reduce(const void* sendbuf, void* recvbuf, size_t count, xylem_type type, xylem_op op, int root,
                          xylem_comm_t comm, xylem_stream_t stream) {
  return api::run("xylem_reduce", api::reduce(sendbuf, recvbuf, count, type, op, root, comm, stream));
}

xylem_status xylem_bcast(void* buffer, size_t count, xylem_type type, int root, xylem_comm_t comm, xylem_stream_t stream) {
  return api::run("xylem_bcast", api::bcast(buffer, count, type, root, comm, stream));
}

xylem_status xylem_allgather(const void* sendbuf, void* recvbuf, size_t count, xylem_type type, xylem_comm_t comm,
                             xylem_stream_t stream) {
  return api::run("xylem_allgather", api::allgather(sendbuf, recvbuf, count, type, comm, stream));
}

xylem_status xylem_reduce_scatter_block(const void* sendbuf, void* recvbuf, size_t count, xylem_type type, xylem_op op,
                                        xylem_comm_t comm, xylem_stream_t stream) {
  return api::run("xylem_reduce_scatter_block", api::reduce_scatter_block(sendbuf, recvbuf, count, type, op, comm, stream));
}

xylem_status xylem_barrier(xylem_comm_t comm, xylem_stream_t stream) {
  return api::run("xylem_barrier", api::barrier(comm, stream));
}

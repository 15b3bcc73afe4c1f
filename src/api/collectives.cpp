// The collectives of the C API, blocking and nonblocking: each checks its arguments (api/calls.hpp) and submits the call.
#include "api/calls.hpp"
#include "api/submit.hpp"

using namespace xylem;

xylem_status xylem_allreduce(const void* sendbuf, void* recvbuf, size_t count, xylem_type type, xylem_op op,
                             xylem_comm_t comm, xylem_stream_t stream) {
  return api::run("xylem_allreduce", api::allreduce(sendbuf, recvbuf, count, type, op, comm, stream));
}

xylem_status xylem_iallreduce(const void* sendbuf, void* recvbuf, size_t count, xylem_type type, xylem_op op,
                              xylem_comm_t comm, xylem_stream_t stream, xylem_request_t* request) {
  return api::start("xylem_iallreduce", api::allreduce(sendbuf, recvbuf, count, type, op, comm, stream), request);
}

xylem_status xylem_reduce(const void* sendbuf, void* recvbuf, size_t count, xylem_type type, xylem_op op, int root,
                          xylem_comm_t comm, xylem_stream_t stream) {
  return api::run("xylem_reduce", api::reduce(sendbuf, recvbuf, count, type, op, root, comm, stream));
}

xylem_status xylem_ireduce(const void* sendbuf, void* recvbuf, size_t count, xylem_type type, xylem_op op, int root,
                           xylem_comm_t comm, xylem_stream_t stream, xylem_request_t* request) {
  return api::start("xylem_ireduce", api::reduce(sendbuf, recvbuf, count, type, op, root, comm, stream), request);
}

xylem_status xylem_bcast(void* buffer, size_t count, xylem_type type, int root, xylem_comm_t comm, xylem_stream_t stream) {
  return api::run("xylem_bcast", api::bcast(buffer, count, type, root, comm, stream));
}

xylem_status xylem_ibcast(void* buffer, size_t count, xylem_type type, int root, xylem_comm_t comm, xylem_stream_t stream,
                          xylem_request_t* request) {
  return api::start("xylem_ibcast", api::bcast(buffer, count, type, root, comm, stream), request);
}

xylem_status xylem_allgather(const void* sendbuf, void* recvbuf, size_t count, xylem_type type, xylem_comm_t comm,
                             xylem_stream_t stream) {
  return api::run("xylem_allgather", api::allgather(sendbuf, recvbuf, count, type, comm, stream));
}

xylem_status xylem_iallgather(const void* sendbuf, void* recvbuf, size_t count, xylem_type type, xylem_comm_t comm,
                              xylem_stream_t stream, xylem_request_t* request) {
  return api::start("xylem_iallgather", api::allgather(sendbuf, recvbuf, count, type, comm, stream), request);
}

xylem_status xylem_reduce_scatter_block(const void* sendbuf, void* recvbuf, size_t count, xylem_type type, xylem_op op,
                                        xylem_comm_t comm, xylem_stream_t stream) {
  return api::run("xylem_reduce_scatter_block", api::reduce_scatter_block(sendbuf, recvbuf, count, type, op, comm, stream));
}

xylem_status xylem_ireduce_scatter_block(const void* sendbuf, void* recvbuf, size_t count, xylem_type type, xylem_op op,
                                         xylem_comm_t comm, xylem_stream_t stream, xylem_request_t* request) {
  return api::start("xylem_ireduce_scatter_block", api::reduce_scatter_block(sendbuf, recvbuf, count, type, op, comm, stream),
                    request);
}

xylem_status xylem_barrier(xylem_comm_t comm, xylem_stream_t stream) {
  return api::run("xylem_barrier", api::barrier(comm, stream));
}

xylem_status xylem_ibarrier(xylem_comm_t comm, xylem_stream_t stream, xylem_request_t* request) {
  return api::start("xylem_ibarrier", api::barrier(comm, stream), request);
}

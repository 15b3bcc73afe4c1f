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

xylem_status xylem_allgatherv(const void* sendbuf, size_t sendcount, void* recvbuf, const size_t* recvcounts,
                              const size_t* displs, xylem_type type, xylem_comm_t comm, xylem_stream_t stream) {
  return api::run("xylem_allgatherv", api::allgatherv(sendbuf, sendcount, recvbuf, recvcounts, displs, type, comm, stream));
}

xylem_status xylem_iallgatherv(const void* sendbuf, size_t sendcount, void* recvbuf, const size_t* recvcounts,
                               const size_t* displs, xylem_type type, xylem_comm_t comm, xylem_stream_t stream,
                               xylem_request_t* request) {
  return api::start("xylem_iallgatherv", api::allgatherv(sendbuf, sendcount, recvbuf, recvcounts, displs, type, comm, stream),
                    request);
}

xylem_status xylem_reduce_scatter(const void* sendbuf, void* recvbuf, const size_t* recvcounts, xylem_type type, xylem_op op,
                                  xylem_comm_t comm, xylem_stream_t stream) {
  return api::run("xylem_reduce_scatter", api::reduce_scatter(sendbuf, recvbuf, recvcounts, type, op, comm, stream));
}

xylem_status xylem_ireduce_scatter(const void* sendbuf, void* recvbuf, const size_t* recvcounts, xylem_type type, xylem_op op,
                                   xylem_comm_t comm, xylem_stream_t stream, xylem_request_t* request) {
  return api::start("xylem_ireduce_scatter", api::reduce_scatter(sendbuf, recvbuf, recvcounts, type, op, comm, stream),
                    request);
}

xylem_status xylem_alltoall(const void* sendbuf, void* recvbuf, size_t count, xylem_type type, xylem_comm_t comm,
                            xylem_stream_t stream) {
  return api::run("xylem_alltoall", api::alltoall(sendbuf, recvbuf, count, type, comm, stream));
}

xylem_status xylem_ialltoall(const void* sendbuf, void* recvbuf, size_t count, xylem_type type, xylem_comm_t comm,
                             xylem_stream_t stream, xylem_request_t* request) {
  return api::start("xylem_ialltoall", api::alltoall(sendbuf, recvbuf, count, type, comm, stream), request);
}

xylem_status xylem_alltoallv(const void* sendbuf, const size_t* sendcounts, const size_t* sdispls, void* recvbuf,
                             const size_t* recvcounts, const size_t* rdispls, xylem_type type, xylem_comm_t comm,
                             xylem_stream_t stream) {
  return api::run("xylem_alltoallv",
                  api::alltoallv(sendbuf, sendcounts, sdispls, recvbuf, recvcounts, rdispls, type, comm, stream));
}

xylem_status xylem_ialltoallv(const void* sendbuf, const size_t* sendcounts, const size_t* sdispls, void* recvbuf,
                              const size_t* recvcounts, const size_t* rdispls, xylem_type type, xylem_comm_t comm,
                              xylem_stream_t stream, xylem_request_t* request) {
  return api::start("xylem_ialltoallv",
                    api::alltoallv(sendbuf, sendcounts, sdispls, recvbuf, recvcounts, rdispls, type, comm, stream), request);
}

xylem_status xylem_alltoallw(const void* sendbuf, const size_t* sendbytes, const size_t* sdispls, void* recvbuf,
                             const size_t* recvbytes, const size_t* rdispls, xylem_comm_t comm, xylem_stream_t stream) {
  return api::run("xylem_alltoallw", api::alltoallw(sendbuf, sendbytes, sdispls, recvbuf, recvbytes, rdispls, comm, stream));
}

xylem_status xylem_ialltoallw(const void* sendbuf, const size_t* sendbytes, const size_t* sdispls, void* recvbuf,
                              const size_t* recvbytes, const size_t* rdispls, xylem_comm_t comm, xylem_stream_t stream,
                              xylem_request_t* request) {
  return api::start("xylem_ialltoallw",
                    api::alltoallw(sendbuf, sendbytes, sdispls, recvbuf, recvbytes, rdispls, comm, stream), request);
}

xylem_status xylem_gather(const void* sendbuf, void* recvbuf, size_t count, xylem_type type, int root, xylem_comm_t comm,
                          xylem_stream_t stream) {
  return api::run("xylem_gather", api::gather(sendbuf, recvbuf, count, type, root, comm, stream));
}

xylem_status xylem_igather(const void* sendbuf, void* recvbuf, size_t count, xylem_type type, int root, xylem_comm_t comm,
                           xylem_stream_t stream, xylem_request_t* request) {
  return api::start("xylem_igather", api::gather(sendbuf, recvbuf, count, type, root, comm, stream), request);
}

xylem_status xylem_gatherv(const void* sendbuf, size_t sendcount, void* recvbuf, const size_t* recvcounts,
                           const size_t* displs, xylem_type type, int root, xylem_comm_t comm, xylem_stream_t stream) {
  return api::run("xylem_gatherv", api::gatherv(sendbuf, sendcount, recvbuf, recvcounts, displs, type, root, comm, stream));
}

xylem_status xylem_igatherv(const void* sendbuf, size_t sendcount, void* recvbuf, const size_t* recvcounts,
                            const size_t* displs, xylem_type type, int root, xylem_comm_t comm, xylem_stream_t stream,
                            xylem_request_t* request) {
  return api::start("xylem_igatherv", api::gatherv(sendbuf, sendcount, recvbuf, recvcounts, displs, type, root, comm, stream),
                    request);
}

xylem_status xylem_scatter(const void* sendbuf, void* recvbuf, size_t count, xylem_type type, int root, xylem_comm_t comm,
                           xylem_stream_t stream) {
  return api::run("xylem_scatter", api::scatter(sendbuf, recvbuf, count, type, root, comm, stream));
}

xylem_status xylem_iscatter(const void* sendbuf, void* recvbuf, size_t count, xylem_type type, int root, xylem_comm_t comm,
                            xylem_stream_t stream, xylem_request_t* request) {
  return api::start("xylem_iscatter", api::scatter(sendbuf, recvbuf, count, type, root, comm, stream), request);
}

xylem_status xylem_scatterv(const void* sendbuf, const size_t* sendcounts, const size_t* displs, void* recvbuf,
                            size_t recvcount, xylem_type type, int root, xylem_comm_t comm, xylem_stream_t stream) {
  return api::run("xylem_scatterv", api::scatterv(sendbuf, sendcounts, displs, recvbuf, recvcount, type, root, comm, stream));
}

xylem_status xylem_iscatterv(const void* sendbuf, const size_t* sendcounts, const size_t* displs, void* recvbuf,
                             size_t recvcount, xylem_type type, int root, xylem_comm_t comm, xylem_stream_t stream,
                             xylem_request_t* request) {
  return api::start("xylem_iscatterv",
                    api::scatterv(sendbuf, sendcounts, displs, recvbuf, recvcount, type, root, comm, stream), request);
}

xylem_status xylem_scan(const void* sendbuf, void* recvbuf, size_t count, xylem_type type, xylem_op op, xylem_comm_t comm,
                        xylem_stream_t stream) {
  return api::run("xylem_scan", api::scan(sendbuf, recvbuf, count, type, op, comm, stream));
}

xylem_status xylem_iscan(const void* sendbuf, void* recvbuf, size_t count, xylem_type type, xylem_op op, xylem_comm_t comm,
                         xylem_stream_t stream, xylem_request_t* request) {
  return api::start("xylem_iscan", api::scan(sendbuf, recvbuf, count, type, op, comm, stream), request);
}

xylem_status xylem_exscan(const void* sendbuf, void* recvbuf, size_t count, xylem_type type, xylem_op op, xylem_comm_t comm,
                          xylem_stream_t stream) {
  return api::run("xylem_exscan", api::exscan(sendbuf, recvbuf, count, type, op, comm, stream));
}

xylem_status xylem_iexscan(const void* sendbuf, void* recvbuf, size_t count, xylem_type type, xylem_op op, xylem_comm_t comm,
                           xylem_stream_t stream, xylem_request_t* request) {
  return api::start("xylem_iexscan", api::exscan(sendbuf, recvbuf, count, type, op, comm, stream), request);
}

#include "api/calls.hpp"

#include "exec/reduce.hpp"

namespace xylem::api {

using coll::Collective;

namespace {

const std::byte* block_at(const void* buffer, std::size_t block, std::size_t bytes) {
  return buffer == nullptr ? nullptr : static_cast<const std::byte*>(buffer) + block * bytes;
}

// A vector of every rank into a vector of every rank.
CheckedCall vector_reduction(Collective collective, const void* sendbuf, void* recvbuf, std::size_t count, xylem_type type,
                             xylem_op op, xylem_comm_t comm, xylem_stream_t stream) {
  const void* input = sendbuf == XYLEM_IN_PLACE ? recvbuf : sendbuf;
  Check check(comm, stream);
  check.type(type).op(op, type).count(count, type, 1).buffer("sendbuf", input, count).buffer("recvbuf", recvbuf, count);
  const std::size_t bytes = count * exec::type_bytes(type);
  if (input != recvbuf) check.apart(input, bytes, recvbuf, bytes);
  return check.done({collective, input, recvbuf, count, type, op});
}

}  // namespace

CheckedCall allreduce(const void* sendbuf, void* recvbuf, std::size_t count, xylem_type type, xylem_op op, xylem_comm_t comm,
                      xylem_stream_t stream) {
  return vector_reduction(Collective::allreduce, sendbuf, recvbuf, count, type, op, comm, stream);
}

CheckedCall scan(const void* sendbuf, void* recvbuf, std::size_t count, xylem_type type, xylem_op op, xylem_comm_t comm,
                 xylem_stream_t stream) {
  return vector_reduction(Collective::scan, sendbuf, recvbuf, count, type, op, comm, stream);
}

CheckedCall exscan(const void* sendbuf, void* recvbuf, std::size_t count, xylem_type type, xylem_op op, xylem_comm_t comm,
                   xylem_stream_t stream) {
  return vector_reduction(Collective::exscan, sendbuf, recvbuf, count, type, op, comm, stream);
}

CheckedCall reduce(const void* sendbuf, void* recvbuf, std::size_t count, xylem_type type, xylem_op op, int root,
                   xylem_comm_t comm, xylem_stream_t stream) {
  Check check(comm, stream);
  check.type(type).op(op, type).count(count, type, 1).root(root);
  const bool is_root = check.good() && check.rank() == static_cast<std::uint32_t>(root);
  const void* input = is_root && sendbuf == XYLEM_IN_PLACE ? recvbuf : sendbuf;
  check.buffer("sendbuf", input == XYLEM_IN_PLACE ? nullptr : input, count);
  if (is_root) {
    check.buffer("recvbuf", recvbuf, count);
    const std::size_t bytes = count * exec::type_bytes(type);
    if (input != recvbuf) check.apart(input, bytes, recvbuf, bytes);
  }
  return check.done(
      {Collective::reduce, input, is_root ? recvbuf : nullptr, count, type, op, static_cast<std::uint32_t>(root)});
}

CheckedCall bcast(void* buffer, std::size_t count, xylem_type type, int root, xylem_comm_t comm, xylem_stream_t stream) {
  Check check(comm, stream);
  check.type(type).count(count, type, 1).root(root).buffer("buffer", buffer, count);
  return check.done({Collective::bcast, buffer, buffer, count, type, XYLEM_OP_COUNT, static_cast<std::uint32_t>(root)});
}

CheckedCall allgather(const void* sendbuf, void* recvbuf, std::size_t count, xylem_type type, xylem_comm_t comm,
                      xylem_stream_t stream) {
  Check check(comm, stream);
  check.type(type).count(count, type, check.size()).buffer("recvbuf", recvbuf, count).buffer("sendbuf", sendbuf, count);
  const std::size_t bytes = count * exec::type_bytes(type);
  const void* input = sendbuf;
  if (check.good()) {
    const std::byte* own = block_at(recvbuf, check.rank(), bytes);
    if (sendbuf == XYLEM_IN_PLACE) input = own;
    if (input != own) check.apart(input, bytes, recvbuf, bytes * check.size());
  }
  return check.done({Collective::allgather, input, recvbuf, count, type});
}

CheckedCall reduce_scatter_block(const void* sendbuf, void* recvbuf, std::size_t count, xylem_type type, xylem_op op,
                                 xylem_comm_t comm, xylem_stream_t stream) {
  const void* input = sendbuf == XYLEM_IN_PLACE ? recvbuf : sendbuf;
  Check check(comm, stream);
  check.type(type).op(op, type).count(count, type, check.size());
  check.buffer("sendbuf", input, count).buffer("recvbuf", recvbuf, count);
  const std::size_t bytes = count * exec::type_bytes(type);
  if (check.good() && input != recvbuf && recvbuf != block_at(input, check.rank(), bytes)) {
    check.apart(input, bytes * check.size(), recvbuf, bytes);
  }
  return check.done({Collective::reduce_scatter_block, input, recvbuf, count, type, op});
}

CheckedCall barrier(xylem_comm_t comm, xylem_stream_t stream) {
  return Check(comm, stream).done({.collective = Collective::barrier});
}

}  // namespace xylem::api

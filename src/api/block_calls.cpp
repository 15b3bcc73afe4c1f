// Collectives on blocks that may differ, or that only a root has.
#include <algorithm>

#include "api/calls.hpp"
#include "exec/reduce.hpp"

namespace xylem::api {

using coll::Collective;

namespace {

std::byte* byte_at(void* buffer, std::size_t bytes) {
  return buffer == nullptr ? nullptr : static_cast<std::byte*>(buffer) + bytes;
}

// A root that sends or receives blocks alike.
bool is_root(const Check& check, int root) { return check.good() && check.rank() == static_cast<std::uint32_t>(root); }

}  // namespace

CheckedCall allgatherv(const void* sendbuf, std::size_t sendcount, void* recvbuf, const std::size_t* recvcounts,
                       const std::size_t* displs, xylem_type type, xylem_comm_t comm, xylem_stream_t stream) {
  Check check(comm, stream);
  const BlockList received{recvcounts, displs};
  const BlockExtent all = check.type(type).blocks("recvbuf", recvbuf, received, type);
  Call call{.collective = Collective::allgatherv, .input = sendbuf, .output = recvbuf, .type = type};
  call.received = received;
  if (!check.good()) return check.done(call);
  const std::byte* own = byte_at(recvbuf, all.own_offset);
  call.count = recvcounts[check.rank()];
  if (sendbuf == XYLEM_IN_PLACE || sendbuf == own) {
    call.input = own;
  } else {
    check.equal("sendcount", sendcount, "this rank's recvcount", call.count).buffer("sendbuf", sendbuf, sendcount);
    check.apart(sendbuf, sendcount * exec::type_bytes(type), recvbuf, all.bytes);
  }
  return check.done(call);
}

CheckedCall reduce_scatter(const void* sendbuf, void* recvbuf, const std::size_t* recvcounts, xylem_type type, xylem_op op,
                           xylem_comm_t comm, xylem_stream_t stream) {
  Check check(comm, stream);
  const void* input = sendbuf == XYLEM_IN_PLACE ? recvbuf : sendbuf;
  const BlockExtent all = check.type(type).op(op, type).blocks("sendbuf", input, {recvcounts, nullptr}, type);
  Call call{Collective::reduce_scatter, input, recvbuf, 0, type, op};
  call.sent.counts = recvcounts;
  if (!check.good()) return check.done(call);
  call.count = recvcounts[check.rank()];
  check.buffer("recvbuf", recvbuf, call.count);
  if (input != recvbuf) check.apart(input, all.bytes, recvbuf, call.count * exec::type_bytes(type));
  return check.done(call);
}

CheckedCall alltoall(const void* sendbuf, void* recvbuf, std::size_t count, xylem_type type, xylem_comm_t comm,
                     xylem_stream_t stream) {
  Check check(comm, stream);
  const void* input = sendbuf == XYLEM_IN_PLACE ? recvbuf : sendbuf;
  check.type(type).count(count, type, check.size()).buffer("sendbuf", input, count).buffer("recvbuf", recvbuf, count);
  const std::size_t bytes = count * exec::type_bytes(type) * check.size();
  if (input != recvbuf) check.apart(input, bytes, recvbuf, bytes);
  return check.done({Collective::alltoall, input, recvbuf, count, type});
}

CheckedCall alltoallv(const void* sendbuf, const std::size_t* sendcounts, const std::size_t* sdispls, void* recvbuf,
                      const std::size_t* recvcounts, const std::size_t* rdispls, xylem_type type, xylem_comm_t comm,
                      xylem_stream_t stream) {
  Check check(comm, stream);
  const bool in_place = sendbuf == XYLEM_IN_PLACE || (sendbuf == recvbuf && sendbuf != nullptr);
  const void* input = in_place ? recvbuf : sendbuf;
  const BlockList received{recvcounts, rdispls}, sent = in_place ? received : BlockList{sendcounts, sdispls};
  check.type(type);
  const BlockExtent out = check.blocks("recvbuf", recvbuf, received, type), in = check.blocks("sendbuf", input, sent, type);
  if (!in_place) check.apart(input, in.bytes, recvbuf, out.bytes);
  Call call{Collective::alltoallv, input, recvbuf, in.count, type};
  call.sent = sent;
  call.received = received;
  return check.done(call);
}

CheckedCall alltoallw(const void* sendbuf, const std::size_t* sendbytes, const std::size_t* sdispls, void* recvbuf,
                      const std::size_t* recvbytes, const std::size_t* rdispls, xylem_comm_t comm, xylem_stream_t stream) {
  CheckedCall checked = alltoallv(sendbuf, sendbytes, sdispls, recvbuf, recvbytes, rdispls, XYLEM_BYTE, comm, stream);
  checked.call.collective = Collective::alltoallw;
  return checked;
}

CheckedCall gather(const void* sendbuf, void* recvbuf, std::size_t count, xylem_type type, int root, xylem_comm_t comm,
                   xylem_stream_t stream) {
  Check check(comm, stream);
  check.type(type).count(count, type, check.size()).root(root);
  Call call{.collective = Collective::gather, .input = sendbuf, .count = count, .type = type};
  if (!check.good()) return check.done(call);
  call.root = static_cast<std::uint32_t>(root);
  if (is_root(check, root)) {
    const std::size_t bytes = count * exec::type_bytes(type);
    const std::byte* own = byte_at(recvbuf, bytes * call.root);
    if (sendbuf == XYLEM_IN_PLACE) call.input = own;
    call.output = recvbuf;
    check.buffer("recvbuf", recvbuf, count);
    if (call.input != own) check.apart(call.input, bytes, recvbuf, bytes * check.size());
  }
  check.buffer("sendbuf", call.input == XYLEM_IN_PLACE ? nullptr : call.input, count);
  return check.done(call);
}

CheckedCall gatherv(const void* sendbuf, std::size_t sendcount, void* recvbuf, const std::size_t* recvcounts,
                    const std::size_t* displs, xylem_type type, int root, xylem_comm_t comm, xylem_stream_t stream) {
  Check check(comm, stream);
  check.type(type).root(root);
  Call call{.collective = Collective::gatherv, .input = sendbuf, .count = sendcount, .type = type};
  if (!check.good()) return check.done(call);
  call.root = static_cast<std::uint32_t>(root);
  if (is_root(check, root)) {
    call.output = recvbuf;
    call.received = {recvcounts, displs};
    const BlockExtent all = check.blocks("recvbuf", recvbuf, call.received, type);
    const std::byte* own = byte_at(recvbuf, all.own_offset);
    if (check.good() && (sendbuf == XYLEM_IN_PLACE || sendbuf == own)) {
      call.input = own;
      call.count = recvcounts[root];
    } else if (check.good()) {
      check.equal("sendcount", sendcount, "the root's recvcount", recvcounts[root]);
      check.apart(sendbuf, sendcount * exec::type_bytes(type), recvbuf, all.bytes);
    }
  }
  check.count(call.count, type, 1).buffer("sendbuf", call.input == XYLEM_IN_PLACE ? nullptr : call.input, call.count);
  return check.done(call);
}

CheckedCall scatter(const void* sendbuf, void* recvbuf, std::size_t count, xylem_type type, int root, xylem_comm_t comm,
                    xylem_stream_t stream) {
  Check check(comm, stream);
  check.type(type).count(count, type, check.size()).root(root);
  Call call{.collective = Collective::scatter, .output = recvbuf, .count = count, .type = type};
  if (!check.good()) return check.done(call);
  call.root = static_cast<std::uint32_t>(root);
  if (is_root(check, root)) {
    const std::size_t bytes = count * exec::type_bytes(type);
    // In place the root's block stays where it is: nothing is written.
    std::byte* own = byte_at(const_cast<void*>(sendbuf), bytes * call.root);
    if (recvbuf == XYLEM_IN_PLACE) call.output = own;
    call.input = sendbuf;
    check.buffer("sendbuf", sendbuf, count);
    if (call.output != own) check.apart(sendbuf, bytes * check.size(), recvbuf, bytes);
  }
  check.buffer("recvbuf", call.output == XYLEM_IN_PLACE ? nullptr : call.output, count);
  return check.done(call);
}

CheckedCall scatterv(const void* sendbuf, const std::size_t* sendcounts, const std::size_t* displs, void* recvbuf,
                     std::size_t recvcount, xylem_type type, int root, xylem_comm_t comm, xylem_stream_t stream) {
  Check check(comm, stream);
  check.type(type).root(root);
  Call call{.collective = Collective::scatterv, .output = recvbuf, .count = recvcount, .type = type};
  if (!check.good()) return check.done(call);
  call.root = static_cast<std::uint32_t>(root);
  if (is_root(check, root)) {
    call.input = sendbuf;
    call.sent = {sendcounts, displs};
    const BlockExtent all = check.blocks("sendbuf", sendbuf, call.sent, type);
    std::byte* own = byte_at(const_cast<void*>(sendbuf), all.own_offset);
    if (check.good() && (recvbuf == XYLEM_IN_PLACE || recvbuf == own)) {
      call.output = own;
      call.count = sendcounts[root];
    } else if (check.good()) {
      check.equal("recvcount", recvcount, "the root's sendcount", sendcounts[root]);
      check.apart(sendbuf, all.bytes, recvbuf, recvcount * exec::type_bytes(type));
    }
  }
  check.count(call.count, type, 1).buffer("recvbuf", call.output == XYLEM_IN_PLACE ? nullptr : call.output, call.count);
  return check.done(call);
}

}  // namespace xylem::api

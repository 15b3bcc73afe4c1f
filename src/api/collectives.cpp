// The collectives of the C API: check the arguments, resolve "in place", hand on.
#include <limits>

#include "api/errors.hpp"
#include "api/handle.hpp"
#include "exec/reduce.hpp"

namespace {

using xylem::Call;
using xylem::coll::Collective;

// Collects what is wrong with the arguments of one call; the first finding counts.
class Check {
 public:
  Check(const char* function, xylem_comm_t comm, xylem_stream_t stream) : function_(function) {
    if (comm == nullptr) {
      wrong(XYLEM_ERROR_INVALID_ARGUMENT, "comm is NULL");
    } else if (stream != XYLEM_STREAM_NONE) {
      wrong(XYLEM_ERROR_UNSUPPORTED, "this build has no device support: pass XYLEM_STREAM_NONE");
    }
  }

  Check& type(xylem_type type) {
    if (xylem::exec::type_bytes(type) == 0) {
      wrong(XYLEM_ERROR_INVALID_ARGUMENT, "no such type: " + std::to_string(static_cast<int>(type)));
    }
    return *this;
  }
  Check& op(xylem_op op, xylem_type type) {
    if (!good()) return *this;
    if (static_cast<unsigned>(op) >= XYLEM_OP_COUNT) {
      wrong(XYLEM_ERROR_INVALID_ARGUMENT, "no such operation: " + std::to_string(static_cast<int>(op)));
    } else if (xylem::exec::find_reduce(op, type) == nullptr) {
      wrong(XYLEM_ERROR_UNSUPPORTED,
            std::string(xylem::exec::op_name(op)) + " is not defined on " + xylem::exec::type_name(type));
    }
    return *this;
  }
  Check& root(int root, xylem_comm_t comm) {
    if (good() && (root < 0 || static_cast<std::uint32_t>(root) >= comm->communicator->size())) {
      wrong(XYLEM_ERROR_INVALID_ARGUMENT,
            "root " + std::to_string(root) + " of " + std::to_string(comm->communicator->size()) + " ranks");
    }
    return *this;
  }
  // `blocks` times `count` elements must be countable in bytes.
  Check& count(std::size_t count, xylem_type type, std::size_t blocks) {
    if (good() && count > std::numeric_limits<std::ptrdiff_t>::max() / xylem::exec::type_bytes(type) / blocks) {
      wrong(XYLEM_ERROR_INVALID_ARGUMENT, "count " + std::to_string(count) + " is larger than memory can be");
    }
    return *this;
  }
  Check& buffer(const char* name, const void* buffer, std::size_t count) {
    if (good() && buffer == nullptr && count != 0) {
      wrong(XYLEM_ERROR_INVALID_ARGUMENT, std::string(name) + " is NULL");
    }
    return *this;
  }
  // [a, a + a_bytes) and [b, b + b_bytes) have nothing in common.
  Check& apart(const void* a, std::size_t a_bytes, const void* b, std::size_t b_bytes) {
    const auto left = reinterpret_cast<std::uintptr_t>(a), right = reinterpret_cast<std::uintptr_t>(b);
    if (good() && a_bytes != 0 && b_bytes != 0 && left < right + b_bytes && right < left + a_bytes) {
      wrong(XYLEM_ERROR_INVALID_ARGUMENT, "sendbuf and recvbuf overlap");
    }
    return *this;
  }

  bool good() const { return status_ == XYLEM_SUCCESS; }

  xylem_status run(xylem_comm_t comm, const Call& call) const {
    if (!good()) return xylem::api::fail(status_, std::string(function_) + ": " + reason_);
    return xylem::api::guarded(function_, [&] {
      const xylem_status status = comm->communicator->run(call);
      return status == XYLEM_SUCCESS ? status : xylem::api::fail(status, comm->communicator->error());
    });
  }

 private:
  void wrong(xylem_status status, const std::string& reason) {
    if (!good()) return;
    status_ = status;
    reason_ = reason;
  }

  const char* function_;
  xylem_status status_ = XYLEM_SUCCESS;
  std::string reason_;
};

std::size_t ranks_of(xylem_comm_t comm) { return comm == nullptr ? 1 : comm->communicator->size(); }

const std::byte* block_at(const void* buffer, std::size_t block, std::size_t bytes) {
  return buffer == nullptr ? nullptr : static_cast<const std::byte*>(buffer) + block * bytes;
}

}  // namespace

xylem_status xylem_allreduce(const void* sendbuf, void* recvbuf, size_t count, xylem_type type, xylem_op op,
                             xylem_comm_t comm, xylem_stream_t stream) {
  const void* input = sendbuf == XYLEM_IN_PLACE ? recvbuf : sendbuf;
  Check check("xylem_allreduce", comm, stream);
  check.type(type).op(op, type).count(count, type, 1).buffer("sendbuf", input, count).buffer("recvbuf", recvbuf, count);
  const std::size_t bytes = count * xylem::exec::type_bytes(type);
  if (input != recvbuf) check.apart(input, bytes, recvbuf, bytes);
  return check.run(comm, {Collective::allreduce, input, recvbuf, count, type, op});
}

xylem_status xylem_reduce(const void* sendbuf, void* recvbuf, size_t count, xylem_type type, xylem_op op, int root,
                          xylem_comm_t comm, xylem_stream_t stream) {
  Check check("xylem_reduce", comm, stream);
  check.type(type).op(op, type).count(count, type, 1).root(root, comm);
  const bool is_root = check.good() && comm->communicator->rank() == static_cast<std::uint32_t>(root);
  const void* input = is_root && sendbuf == XYLEM_IN_PLACE ? recvbuf : sendbuf;
  check.buffer("sendbuf", input == XYLEM_IN_PLACE ? nullptr : input, count);
  if (is_root) {
    check.buffer("recvbuf", recvbuf, count);
    const std::size_t bytes = count * xylem::exec::type_bytes(type);
    if (input != recvbuf) check.apart(input, bytes, recvbuf, bytes);
  }
  return check.run(
      comm, {Collective::reduce, input, is_root ? recvbuf : nullptr, count, type, op, static_cast<std::uint32_t>(root)});
}

xylem_status xylem_bcast(void* buffer, size_t count, xylem_type type, int root, xylem_comm_t comm, xylem_stream_t stream) {
  Check check("xylem_bcast", comm, stream);
  check.type(type).count(count, type, 1).root(root, comm).buffer("buffer", buffer, count);
  return check.run(comm, {Collective::bcast, buffer, buffer, count, type, XYLEM_OP_COUNT, static_cast<std::uint32_t>(root)});
}

xylem_status xylem_allgather(const void* sendbuf, void* recvbuf, size_t count, xylem_type type, xylem_comm_t comm,
                             xylem_stream_t stream) {
  Check check("xylem_allgather", comm, stream);
  check.type(type).count(count, type, ranks_of(comm)).buffer("recvbuf", recvbuf, count).buffer("sendbuf", sendbuf, count);
  const std::size_t bytes = count * xylem::exec::type_bytes(type);
  const void* input = sendbuf;
  if (check.good()) {
    const std::byte* own = block_at(recvbuf, comm->communicator->rank(), bytes);
    if (sendbuf == XYLEM_IN_PLACE) input = own;
    if (input != own) check.apart(input, bytes, recvbuf, bytes * ranks_of(comm));
  }
  return check.run(comm, {Collective::allgather, input, recvbuf, count, type});
}

xylem_status xylem_reduce_scatter_block(const void* sendbuf, void* recvbuf, size_t count, xylem_type type, xylem_op op,
                                        xylem_comm_t comm, xylem_stream_t stream) {
  const void* input = sendbuf == XYLEM_IN_PLACE ? recvbuf : sendbuf;
  Check check("xylem_reduce_scatter_block", comm, stream);
  check.type(type).op(op, type).count(count, type, ranks_of(comm));
  check.buffer("sendbuf", input, count).buffer("recvbuf", recvbuf, count);
  const std::size_t bytes = count * xylem::exec::type_bytes(type);
  if (check.good() && input != recvbuf && recvbuf != block_at(input, comm->communicator->rank(), bytes)) {
    check.apart(input, bytes * ranks_of(comm), recvbuf, bytes);
  }
  return check.run(comm, {Collective::reduce_scatter_block, input, recvbuf, count, type, op});
}

xylem_status xylem_barrier(xylem_comm_t comm, xylem_stream_t stream) {
  return Check("xylem_barrier", comm, stream).run(comm, {.collective = Collective::barrier});
}

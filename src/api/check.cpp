#include "api/check.hpp"

#include <algorithm>
#include <limits>

#include "exec/reduce.hpp"

namespace xylem::api {

Check::Check(xylem_comm_t comm, xylem_stream_t stream) {
  checked_.comm = comm;
  if (comm == nullptr) {
    wrong(XYLEM_ERROR_INVALID_ARGUMENT, "comm is NULL");
  } else if (stream != XYLEM_STREAM_NONE && !comm->communicator->takes_streams()) {
    wrong(XYLEM_ERROR_UNSUPPORTED, "there are no CUDA streams here (xylem info says why): pass XYLEM_STREAM_NONE");
  }
  checked_.call.stream = stream;
}

void Check::wrong(xylem_status status, std::string reason) {
  if (!good()) return;
  checked_.status = status;
  checked_.reason = std::move(reason);
}

Check& Check::type(xylem_type type) {
  if (exec::type_bytes(type) == 0) {
    wrong(XYLEM_ERROR_INVALID_ARGUMENT, "no such type: " + std::to_string(static_cast<int>(type)));
  }
  return *this;
}

Check& Check::op(xylem_op op, xylem_type type) {
  if (!good()) return *this;
  if (static_cast<unsigned>(op) >= XYLEM_OP_COUNT) {
    wrong(XYLEM_ERROR_INVALID_ARGUMENT, "no such operation: " + std::to_string(static_cast<int>(op)));
  } else if (exec::find_reduce(op, type) == nullptr) {
    wrong(XYLEM_ERROR_UNSUPPORTED, std::string(exec::op_name(op)) + " is not defined on " + exec::type_name(type));
  }
  return *this;
}

Check& Check::rank_of_communicator(const char* name, int rank) {
  if (good() && (rank < 0 || static_cast<std::uint32_t>(rank) >= size())) {
    wrong(XYLEM_ERROR_INVALID_ARGUMENT,
          std::string(name) + " " + std::to_string(rank) + " of " + std::to_string(size()) + " ranks");
  }
  return *this;
}

Check& Check::count(std::size_t count, xylem_type type, std::size_t blocks) {
  if (good() && count > std::numeric_limits<std::ptrdiff_t>::max() / exec::type_bytes(type) / blocks) {
    wrong(XYLEM_ERROR_INVALID_ARGUMENT, "count " + std::to_string(count) + " is larger than memory can be");
  }
  return *this;
}

Check& Check::buffer(const char* name, const void* buffer, std::size_t count) {
  if (good() && buffer == nullptr && count != 0) {
    wrong(XYLEM_ERROR_INVALID_ARGUMENT, std::string(name) + " is NULL");
  }
  return *this;
}

BlockExtent Check::blocks(const char* name, const void* buffer, const BlockList& list, xylem_type type) {
  BlockExtent extent;
  if (good() && list.counts == nullptr)
    wrong(XYLEM_ERROR_INVALID_ARGUMENT, std::string("the counts of ") + name + " are NULL");
  if (!good()) return extent;
  const std::size_t unit = exec::type_bytes(type), limit = std::numeric_limits<std::ptrdiff_t>::max() / unit;
  for (std::uint32_t rank = 0; rank < size(); ++rank) {
    const std::size_t count = list.counts[rank], offset = list.offsets == nullptr ? extent.count : list.offsets[rank];
    if (count > limit || offset > limit - count || extent.count > limit - count) {
      wrong(XYLEM_ERROR_INVALID_ARGUMENT, std::string("block ") + std::to_string(rank) + " of " + name + ", count " +
                                              std::to_string(count) + ", lies beyond what memory can be");
      return extent;
    }
    extent.count += count;
    if (count != 0) extent.bytes = std::max(extent.bytes, (offset + count) * unit);
    if (rank == this->rank()) extent.own_offset = offset * unit;
  }
  if (extent.count != 0 && buffer == nullptr) wrong(XYLEM_ERROR_INVALID_ARGUMENT, std::string(name) + " is NULL");
  return extent;
}

Check& Check::equal(const char* name, std::size_t value, const char* other_name, std::size_t other) {
  if (good() && value != other) {
    wrong(XYLEM_ERROR_INVALID_ARGUMENT,
          std::string(name) + " is " + std::to_string(value) + ", but " + other_name + " is " + std::to_string(other));
  }
  return *this;
}

Check& Check::apart(const void* a, std::size_t a_bytes, const void* b, std::size_t b_bytes) {
  const auto left = reinterpret_cast<std::uintptr_t>(a), right = reinterpret_cast<std::uintptr_t>(b);
  if (good() && a_bytes != 0 && b_bytes != 0 && left < right + b_bytes && right < left + a_bytes) {
    wrong(XYLEM_ERROR_INVALID_ARGUMENT, "sendbuf and recvbuf overlap");
  }
  return *this;
}

}  // namespace xylem::api

#include "api/check.hpp"

#include <algorithm>

namespace xylem::api {

void Check::wrong(xylem_status status, std::string reason) {
  if (good()) refusal_ = std::make_unique<const Refusal>(Refusal{status, std::move(reason)});
}

void Check::wrong_communicator() {
  if (comm_ == nullptr) {
    wrong(XYLEM_ERROR_INVALID_ARGUMENT, "comm is NULL");
  } else {
    wrong(XYLEM_ERROR_UNSUPPORTED, "there are no CUDA streams here (xylem info says why): pass XYLEM_STREAM_NONE");
  }
}

void Check::wrong_type(xylem_type type) {
  wrong(XYLEM_ERROR_INVALID_ARGUMENT, "no such type: " + std::to_string(static_cast<int>(type)));
}

void Check::wrong_op(xylem_op op, xylem_type type) {
  if (static_cast<unsigned>(op) >= XYLEM_OP_COUNT) {
    wrong(XYLEM_ERROR_INVALID_ARGUMENT, "no such operation: " + std::to_string(static_cast<int>(op)));
  } else {
    wrong(XYLEM_ERROR_UNSUPPORTED, std::string(exec::op_name(op)) + " is not defined on " + exec::type_name(type));
  }
}

void Check::wrong_rank(const char* name, int rank) {
  wrong(XYLEM_ERROR_INVALID_ARGUMENT,
        std::string(name) + " " + std::to_string(rank) + " of " + std::to_string(size()) + " ranks");
}

void Check::wrong_count(std::size_t count) {
  wrong(XYLEM_ERROR_INVALID_ARGUMENT, "count " + std::to_string(count) + " is larger than memory can be");
}

void Check::wrong_buffer(const char* name) { wrong(XYLEM_ERROR_INVALID_ARGUMENT, std::string(name) + " is NULL"); }

BlockExtent Check::blocks(const char* name, const void* buffer, const BlockList& list, xylem_type type) {
  BlockExtent extent;
  if (good() && list.counts == nullptr)
    wrong(XYLEM_ERROR_INVALID_ARGUMENT, std::string("the counts of ") + name + " are NULL");
  if (!good()) return extent;
  const std::size_t unit = std::max<std::size_t>(exec::type_bytes(type), 1), limit = kMostBytes / unit;
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
  this->buffer(name, buffer, extent.count);
  return extent;
}

Check& Check::equal(const char* name, std::size_t value, const char* other_name, std::size_t other) {
  if (good() && value != other) {
    wrong(XYLEM_ERROR_INVALID_ARGUMENT,
          std::string(name) + " is " + std::to_string(value) + ", but " + other_name + " is " + std::to_string(other));
  }
  return *this;
}

}  // namespace xylem::api

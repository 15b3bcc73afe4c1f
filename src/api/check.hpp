// Finds what is wrong with the arguments of one call, so that nothing is sent for a call that cannot be.
#pragma once

#include <cstddef>
#include <string>

#include "api/handle.hpp"
#include "comm/call.hpp"

namespace xylem::api {

// What came of checking: a call that may be submitted (api/submit.hpp), or why not.
struct CheckedCall {
  xylem_comm_t comm = nullptr;
  xylem_status status = XYLEM_SUCCESS;
  std::string reason;  // where the status is no success
  Call call{};
};

// What blocks of differing lengths come to.
struct BlockExtent {
  std::size_t count = 0;       // elements of all together
  std::size_t bytes = 0;       // from the begin of the buffer to the end of the last block
  std::size_t own_offset = 0;  // bytes to the block of this rank
};

// Collects findings; the first counts. What a check presumes has been checked before it, else it finds nothing.
class Check {
 public:
  Check(xylem_comm_t comm, xylem_stream_t stream);

  Check& type(xylem_type type);
  Check& op(xylem_op op, xylem_type type);
  Check& root(int root) { return rank_of_communicator("root", root); }
  Check& peer(int peer) { return rank_of_communicator("peer", peer); }
  // `blocks` times `count` elements must be countable in bytes.
  Check& count(std::size_t count, xylem_type type, std::size_t blocks);
  Check& buffer(const char* name, const void* buffer, std::size_t count);
  // Counts by rank and, where they are not null, offsets; all must be countable in bytes. `name` is the buffer's.
  BlockExtent blocks(const char* name, const void* buffer, const BlockList& list, xylem_type type);
  Check& equal(const char* name, std::size_t value, const char* other_name, std::size_t other);
  // [a, a + a_bytes) and [b, b + b_bytes) have nothing in common.
  Check& apart(const void* a, std::size_t a_bytes, const void* b, std::size_t b_bytes);

  bool good() const { return checked_.status == XYLEM_SUCCESS; }

  // Of the communicator; as of one rank alone where it is wrong.
  std::uint32_t rank() const { return checked_.comm == nullptr ? 0 : checked_.comm->communicator->rank(); }
  std::uint32_t size() const { return checked_.comm == nullptr ? 1 : checked_.comm->communicator->size(); }

  // The end of all checks: what they came to, with the call that is made of the arguments.
  CheckedCall done(Call call) {
    call.stream = checked_.call.stream;
    checked_.call = call;
    return std::move(checked_);
  }

 private:
  Check& rank_of_communicator(const char* name, int rank);
  void wrong(xylem_status status, std::string reason);

  CheckedCall checked_;
};

}  // namespace xylem::api

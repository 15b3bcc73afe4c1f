// Finds what is wrong with the arguments of one call, so that nothing is sent for a call that cannot be.
//
// Every call of every program passes here: what is right is found out by a few comparisons in line, and only what is wrong
// is put into words.
#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "api/handle.hpp"
#include "comm/call.hpp"
#include "exec/reduce.hpp"

namespace xylem::api {

// Why a call cannot be.
struct Refusal {
  xylem_status status;
  std::string reason;
};

// What came of checking: a call that may be submitted (api/submit.hpp), or why not.
struct CheckedCall {
  xylem_comm_t comm;
  std::unique_ptr<const Refusal> refusal;  // null: nothing is wrong
  Call call;
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
  Check(xylem_comm_t comm, xylem_stream_t stream) : comm_(comm), stream_(stream) {
    if (comm == nullptr || (stream != XYLEM_STREAM_NONE && !comm->communicator->takes_streams())) [[unlikely]] {
      wrong_communicator();
    }
  }

  Check& type(xylem_type type) {
    if (exec::type_bytes(type) == 0) [[unlikely]] {
      wrong_type(type);
    }
    return *this;
  }
  Check& op(xylem_op op, xylem_type type) {
    if (good() && !exec::has_reduce(op, type)) [[unlikely]] {
      wrong_op(op, type);
    }
    return *this;
  }
  Check& root(int root) { return rank_of_communicator("root", root); }
  Check& peer(int peer) { return rank_of_communicator("peer", peer); }
  // `blocks` times `count` elements must be countable in bytes.
  Check& count(std::size_t count, xylem_type type, std::size_t blocks) {
    std::size_t bytes = 0;
    if (good() && (__builtin_mul_overflow(count, exec::type_bytes(type) * blocks, &bytes) || bytes > kMostBytes))
        [[unlikely]] {
      wrong_count(count);
    }
    return *this;
  }
  Check& buffer(const char* name, const void* buffer, std::size_t count) {
    if (buffer == nullptr && count != 0) [[unlikely]] {
      wrong_buffer(name);
    }
    return *this;
  }
  // Counts by rank and, where they are not null, offsets; all must be countable in bytes. `name` is the buffer's.
  BlockExtent blocks(const char* name, const void* buffer, const BlockList& list, xylem_type type);
  Check& equal(const char* name, std::size_t value, const char* other_name, std::size_t other);
  // [a, a + a_bytes) and [b, b + b_bytes) have nothing in common.
  Check& apart(const void* a, std::size_t a_bytes, const void* b, std::size_t b_bytes) {
    const auto left = reinterpret_cast<std::uintptr_t>(a), right = reinterpret_cast<std::uintptr_t>(b);
    if (good() && left < right + b_bytes && right < left + a_bytes && a_bytes != 0 && b_bytes != 0) [[unlikely]] {
      wrong(XYLEM_ERROR_INVALID_ARGUMENT, "sendbuf and recvbuf overlap");
    }
    return *this;
  }

  bool good() const { return refusal_ == nullptr; }

  // Of the communicator; as of one rank alone where it is wrong.
  std::uint32_t rank() const { return comm_ == nullptr ? 0 : comm_->communicator->rank(); }
  std::uint32_t size() const { return comm_ == nullptr ? 1 : comm_->communicator->size(); }

  // The end of all checks: what they came to, with the call that is made of the arguments.
  CheckedCall done(Call call) {
    call.stream = stream_;
    return {comm_, std::move(refusal_), call};
  }

 private:
  static constexpr std::size_t kMostBytes = std::numeric_limits<std::ptrdiff_t>::max();

  Check& rank_of_communicator(const char* name, int rank) {
    if (good() && static_cast<std::uint32_t>(rank) >= size()) [[unlikely]] {
      wrong_rank(name, rank);
    }
    return *this;
  }

  [[gnu::cold]] void wrong(xylem_status status, std::string reason);
  [[gnu::cold]] void wrong_communicator();
  [[gnu::cold]] void wrong_type(xylem_type type);
  [[gnu::cold]] void wrong_op(xylem_op op, xylem_type type);
  [[gnu::cold]] void wrong_count(std::size_t count);
  [[gnu::cold]] void wrong_buffer(const char* name);
  [[gnu::cold]] void wrong_rank(const char* name, int rank);

  xylem_comm_t comm_;
  xylem_stream_t stream_;
  std::unique_ptr<const Refusal> refusal_;
};

}  // namespace xylem::api

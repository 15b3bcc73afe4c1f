// Calls on device buffers made into calls on host buffers. Where a rank's buffers lie is that rank's own affair: it copies
// its device buffers to host memory before the call and its results back after it, and no other rank knows.
#pragma once

#include <vector>

#include "comm/call.hpp"
#include "cuda/memory.hpp"
#include "cuda/pinned.hpp"

namespace xylem {

// What a rank reads and writes in a call, in bytes.
struct BufferBytes {
  std::size_t input = 0;
  std::size_t output = 0;
  bool output_has_gaps = false;  // between blocks there may be what must stay
};
BufferBytes buffer_bytes(const Call& call, std::uint32_t rank, std::uint32_t ranks);

class StagedCall {
 public:
  // Device buffers are read after the work that the call's stream has so far (without a stream: the legacy default one), or
  // at once where the call has arrived. Throws Error.
  StagedCall(const Call& call, const BufferBytes& bytes);

  // The call with host buffers only, valid as long as this object.
  const Call& on_host() const { return call_; }
  // Some buffer lies on a device.
  bool staged() const { return input_.memory.kind == cuda::MemoryKind::device || output_on_device(); }

  // Brings the results to where the program wants them. Throws Error.
  void copy_back() const;

 private:
  struct Side {
    cuda::Memory memory;
    cuda::PinnedMemory copy;
  };

  bool output_on_device() const { return output_.memory.kind == cuda::MemoryKind::device; }
  void wait_for_managed() const;
  void stage_overlapping(const Call& call, const BufferBytes& bytes);
  void copy(void* to, const void* from, std::size_t bytes, const cuda::Memory& memory) const;

  Call call_;
  bool has_stream_;
  cuda::Memory stream_memory_;
  Side input_, output_;
  void* result_ = nullptr;  // where the program wants it; null: nowhere, or it is there already
  std::size_t result_bytes_ = 0;
};

// The same for sends and receives that have arrived.
class StagedExchange {
 public:
  // Throws Error.
  explicit StagedExchange(const coll::Exchange& exchange);

  const coll::Exchange& on_host() const { return exchange_; }
  bool staged() const { return !pieces_.empty(); }

  // Brings what was received to where the program wants it. Throws Error.
  void copy_back() const;

 private:
  struct Piece {
    cuda::Memory memory;
    cuda::PinnedMemory copy;
    std::byte* result;  // null: it is sent
    std::size_t bytes;
  };

  void stage(coll::Message& message, bool received);

  coll::Exchange exchange_;
  std::vector<Piece> pieces_;
};

}  // namespace xylem

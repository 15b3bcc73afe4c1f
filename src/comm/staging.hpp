// Calls on device buffers made into calls on host buffers. Where a rank's buffers lie is that rank's own affair: it copies
// its device buffers to host memory before the call and its results back after it, and no other rank knows.
#pragma once

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
  // Device buffers are read after the work that the call's stream has so far (without a stream: the legacy default one).
  // Throws Error.
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
  const cuda::Memory& home(const cuda::Memory& memory) const { return has_stream_ ? stream_memory_ : memory; }

  Call call_;
  bool has_stream_;
  CUstream_st* stream_;
  cuda::Memory stream_memory_;
  Side input_, output_;
  void* result_ = nullptr;  // where the program wants it; null: nowhere, or it is there already
  std::size_t result_bytes_ = 0;
};

}  // namespace xylem

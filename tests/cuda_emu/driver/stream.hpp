// Putting operations on streams, and waiting for them.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "shared/protocol.hpp"

struct CUstream_st;
struct CUctx_st;

namespace cuda_emu {

struct Driver;

class StreamSlots {
 public:
  std::uint32_t take(const Driver& driver);  // throws Error
  void give_back(std::uint32_t slot) { free_.push_back(slot); }

 private:
  std::uint32_t unused_ = 0;
  std::vector<std::uint32_t> free_;  // perhaps with operations still under way
};

std::unique_ptr<CUstream_st> make_stream(Driver& driver, CUctx_st& context, unsigned flags, int priority);

// The stream that a handle means in this context: 0 and CU_STREAM_LEGACY, CU_STREAM_PER_THREAD, or one that was created.
CUstream_st& stream_of(Driver& driver, CUctx_st& context, CUstream handle);

// Puts an operation on a stream, ordered with the default stream as CUDA has it; on a stream that is being captured it
// becomes a node of the graph instead, and there is no number.
std::optional<std::uint32_t> submit(Driver& driver, CUstream_st& stream, Message message,
                                    std::span<const std::byte> payload = {});

// Both give the lock back while they wait.
void wait_for(Driver& driver, std::uint32_t slot, std::uint32_t number);
void synchronize(Driver& driver, CUstream_st& stream);

// Waits for all that was submitted to any stream of the context: what allocating and freeing do.
void synchronize(Driver& driver, CUctx_st& context);

}  // namespace cuda_emu

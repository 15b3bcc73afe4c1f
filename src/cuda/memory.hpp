// Where memory lies, and copying it wherever it lies. No CUDA header: the rooms above use this one.
#pragma once

#include <cstddef>
#include <cstdint>

struct CUctx_st;
struct CUstream_st;

namespace xylem::cuda {

enum class MemoryKind : std::uint8_t {
  host,     // the driver does not know it
  pinned,   // host memory that the driver has locked
  managed,  // moves to whoever touches it
  device,   // only a GPU can touch it
};

struct Memory {
  MemoryKind kind = MemoryKind::host;
  int device = -1;               // ordinal in this process; of device and managed memory
  CUctx_st* context = nullptr;   // it was allocated in; null for pools and host memory
  std::uint64_t allocation = 0;  // unlike the address never used again in this process
  std::uint64_t context_id = 0;  // unlike `context` never used again; 0: not told (cuda/context.hpp, kept())
};

// Asks the driver, if there is one in the process. Leaves no error behind, and the current context as it is. Throws Error
// where the driver does not answer, as after a kernel's fault, and the CPU cannot touch the memory: what it can touch is host
// memory then.
Memory memory_of(const void* address);

// The legacy default stream: what work without a stream goes to, in order with all streams that were not made non-blocking.
CUstream_st* default_stream();

// A stream of Xylem's own in the context of `near`, one for all copies of the process: work of the program neither waits for
// it nor is waited for. Throws Error.
CUstream_st* copy_stream(const Memory& near);

// What copy() and wait_for() take as `on` for the sake of a stream alone. Throws Error for what is no stream.
Memory memory_of_stream(CUstream_st* stream);

// Copies from any memory to any other, after the work that `stream` has so far, and waits for the end. `on` is the memory of
// either of them that is not plain host memory. Throws Error.
void copy(void* to, const void* from, std::size_t bytes, const Memory& on, CUstream_st* stream);

// Puts a copy into `stream`, one of the context of `on`. Throws Error.
void copy_in_stream(void* to, const void* from, std::size_t bytes, const Memory& on, CUstream_st* stream);

// Waits for the work that `stream` has so far: before the CPU touches managed memory. Throws Error.
void wait_for(CUstream_st* stream, const Memory& on);

enum class StreamState : std::uint8_t {
  ready,
  captured,        // records its work for later
  beside_capture,  // the legacy default stream while another records
  unknown,         // no stream of this process
  no_driver,       // nor is there any
};
// Throws Error where the driver does not answer, as after a kernel's fault.
StreamState state_of(CUstream_st* stream);

// Why the work of a stream in that state cannot be waited for, or null.
const char* obstacle_to_waiting(StreamState state);

// Device memory on the device of the current context, that other processes may open. Throws Error.
void* allocate_device(std::size_t bytes);
// Takes back what allocate_device() gave; null is ignored.
void free_device(void* memory);

}  // namespace xylem::cuda

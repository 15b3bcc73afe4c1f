// What the application's libcuda.so.1 and its executor say to each other, and the memory that both see.
//
// Messages go one way, over a socket that keeps their order: operations, which the executor appends to the queue of their
// stream, and requests, which it answers at once. What has been completed is read from shared memory.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace cuda_emu {

inline constexpr std::uint32_t kMaxStreams = 1024;
inline constexpr std::uint32_t kMaxEvents = 1U << 16;
inline constexpr std::uint32_t kMaxParameterBytes = 4096;
inline constexpr std::uint32_t kOwnEvents = 0;  // event table 0 is the process's own; others were opened by IPC

// Where the executor finds what it inherits.
inline constexpr int kCommandSocket = 3;
inline constexpr int kHostFunctionSocket = 4;
inline constexpr int kApplicationProcess = 5;  // a pidfd

// Operations of a stream are numbered from 1 by the application; the executor alone writes `completed`. A slot keeps its
// numbers when another stream takes it over. Comparisons allow for the numbers' wrapping around.
struct alignas(64) StreamProgress {
  std::atomic<std::uint32_t> completed;
  std::atomic<std::uint32_t> waiters;
};

// Written by the executor only (but for the counts of waiters), read by the application.
struct Control {
  std::atomic<std::uint32_t> error;  // a CUresult that ends every context of the process, 0 while all is well
  StreamProgress streams[kMaxStreams];
};

// An event is recorded when `completed` has reached `recorded`. Applications (several, if opened by IPC) add to `recorded`
// when they submit; their executors raise `completed`.
struct alignas(64) EventState {
  std::atomic<std::uint32_t> recorded;
  std::atomic<std::uint32_t> completed;
  std::atomic<std::uint32_t> waiters;
  std::atomic<std::uint64_t> nanoseconds;  // of the clock, when last completed
};

inline bool reached(std::uint32_t now, std::uint32_t wanted) { return static_cast<std::int32_t>(now - wanted) >= 0; }

enum class Kind : std::uint32_t {
  // Requests: answered with an Answer.
  kHello,
  kMap,
  kUnmap,
  kMapEvents,
  kFindKernel,
  kExplainDevice,
  // Not answered, of no stream.
  kHostFunctionDone,
  // Operations of a stream.
  kCopy,
  kFill,
  kLaunch,
  kRecordEvent,
  kWaitEvent,
  kWaitStream,
  kHostFunction,
  kWriteValue,
  kWaitValue,
  kRelease,
  kNothing,
};

struct Hello {
  std::uint64_t region;  // the reserved part of the address space, the same in both processes
  std::uint64_t region_bytes;
  std::uint32_t random_seed;
  std::uint32_t delay_microseconds;
};

// Backed by the file that comes with the message or, if none does, by the arena.
struct Mapping {
  std::uint64_t address;
  std::uint64_t bytes;
  std::uint64_t offset;
  std::uint8_t poison;     // fill with a pattern, for no program may rely on zeros
  std::uint8_t read_only;  // the file cannot be written
};

struct Device {
  std::uint32_t device;
  std::uint32_t resident_blocks;  // how many blocks fit at once
  std::uint64_t lock;             // kernels of processes with the same number here exclude each other
};

// Rows of `width` bytes. A side that is remote is ordinary memory of the application, which the executor does not map.
struct Copy {
  std::uint64_t to, from;
  std::uint64_t width, height;
  std::uint64_t to_pitch, from_pitch;
  std::uint8_t to_is_remote, from_is_remote;
};

struct Fill {
  std::uint64_t to;
  std::uint64_t width, height;  // width in elements
  std::uint64_t pitch;
  std::uint32_t value;
  std::uint32_t element_bytes;
};

struct Launch {
  std::uint32_t kernel;
  std::uint32_t device;
  std::uint32_t blocks;
  std::uint32_t cooperative;
  std::uint32_t fail;  // an illegal address instead of the kernel
  std::uint32_t parameter_bytes;
};

struct EventOperation {
  std::uint32_t table, slot, number;
};

struct StreamOperation {
  std::uint32_t stream, number;
};

struct HostFunction {
  std::uint64_t function, data;
  std::uint64_t stream;  // not 0: a stream callback, which is told its stream
  std::uint32_t number, slot;
};

struct Value {
  std::uint64_t address, value;
  std::uint32_t bytes, flags;  // flags: CUstreamWaitValue_flags
};

struct Message {
  Kind kind;
  std::uint32_t stream;  // the slot
  std::uint32_t number;  // of the operation in its stream
  union {
    Hello hello;
    Mapping mapping;
    Device device;
    Copy copy;
    Fill fill;
    Launch launch;
    EventOperation event;
    StreamOperation other;
    HostFunction host_function;
    Value value;
  };
};

// The executor's answer to a request.
struct Answer {
  std::uint32_t result;  // a CUresult
  std::uint32_t value;
  std::uint64_t bytes;
};

}  // namespace cuda_emu

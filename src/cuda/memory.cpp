#include "cuda/memory.hpp"

#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <map>
#include <mutex>

#include "base/error.hpp"
#include "cuda/context.hpp"
#include "cuda/driver.hpp"

namespace xylem::cuda {
namespace {

CUdeviceptr address_of(const void* memory) { return reinterpret_cast<CUdeviceptr>(memory); }

// Whether the CPU can read there. Null counts: nobody will. So does what the system does not let us try, as some containers
// do.
bool touchable(const void* address) {
  char byte = 0;
  const iovec here{&byte, 1}, there{const_cast<void*>(address), 1};
  return address == nullptr || process_vm_readv(getpid(), &here, 1, &there, 1, 0) == 1 || errno != EFAULT;
}

}  // namespace

Memory memory_of(const void* address) {
  const Driver* const driver = driver_in_process();
  if (driver == nullptr) return {};
  unsigned type = 0, managed = 0;
  CUcontext context = nullptr;
  int device = -1;
  unsigned long long allocation = 0;
  std::array attributes = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_IS_MANAGED, CU_POINTER_ATTRIBUTE_CONTEXT,
                           CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, CU_POINTER_ATTRIBUTE_BUFFER_ID};
  std::array<void*, attributes.size()> values = {&type, &managed, &context, &device, &allocation};
  const auto ask = [&] {
    return driver->pointer_get_attributes(static_cast<unsigned>(attributes.size()), attributes.data(), values.data(),
                                          address_of(address));
  };
  CUresult result = ask();
  // A thread of the program that has not chosen a device yet, or whose context another has ended.
  if (result == CUDA_ERROR_INVALID_CONTEXT || result == CUDA_ERROR_CONTEXT_IS_DESTROYED) {
    const AnyContextScope scope(*driver);
    result = ask();
  }
  // The plural form answers for unknown memory too, with zeros. It fails where there is no device memory (before cuInit,
  // after the driver has gone), and after a fault that ended the contexts. Then host memory must go on: by collectives on it
  // the ranks agree on what to do now.
  if (result != CUDA_SUCCESS && touchable(address)) return {};
  check(*driver, result, "cuPointerGetAttributes of memory that the CPU cannot touch");
  if (managed != 0) return {MemoryKind::managed, device, context, allocation};
  if (type == CU_MEMORYTYPE_DEVICE) return {MemoryKind::device, device, context, allocation};
  if (type == CU_MEMORYTYPE_HOST) return {MemoryKind::pinned, device, context, allocation};
  return {};
}

CUstream_st* default_stream() { return CU_STREAM_LEGACY; }

CUstream_st* copy_stream(const Memory& near) {
  static std::mutex mutex;
  static std::map<ContextKey, CUstream_st*>& streams = *new std::map<ContextKey, CUstream_st*>;
  const Driver& driver = the_driver();
  const Memory here = kept(driver, near);
  const ContextScope scope(driver, here);
  const std::lock_guard lock(mutex);
  CUstream_st*& stream = streams[ContextKey(here)];
  if (stream == nullptr) check(driver, driver.stream_create(&stream, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
  return stream;
}

Memory memory_of_stream(CUstream_st* stream) {
  const Driver& driver = the_driver();
  Memory memory;
  check(driver, driver.stream_get_ctx(stream, &memory.context), "cuStreamGetCtx");
  return memory;
}

void copy_in_stream(void* to, const void* from, std::size_t bytes, const Memory& on, CUstream_st* stream) {
  const Driver& driver = the_driver();
  const ContextScope scope(driver, on);
  check(driver, driver.memcpy_async(address_of(to), address_of(from), bytes, stream), "cuMemcpyAsync");
}

void copy(void* to, const void* from, std::size_t bytes, const Memory& on, CUstream_st* stream) {
  const Driver& driver = the_driver();
  const ContextScope scope(driver, on);
  check(driver, driver.memcpy_async(address_of(to), address_of(from), bytes, stream), "cuMemcpyAsync");
  check(driver, driver.stream_synchronize(stream), "cuStreamSynchronize after a copy");
}

void wait_for(CUstream_st* stream, const Memory& on) {
  const Driver& driver = the_driver();
  const ContextScope scope(driver, on);
  check(driver, driver.stream_synchronize(stream), "cuStreamSynchronize");
}

StreamState state_of(CUstream_st* stream) {
  const Driver* const driver = driver_in_process();
  if (driver == nullptr) return StreamState::no_driver;
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  const CUresult result = driver->stream_is_capturing(stream, &status);
  if (result == CUDA_ERROR_INVALID_HANDLE || result == CUDA_ERROR_INVALID_VALUE) return StreamState::unknown;
  if (result == CUDA_ERROR_STREAM_CAPTURE_IMPLICIT) return StreamState::beside_capture;
  check(*driver, result, "cuStreamIsCapturing, which also tells of earlier failures on the GPU,");
  return status == CU_STREAM_CAPTURE_STATUS_NONE ? StreamState::ready : StreamState::captured;
}

const char* obstacle_to_waiting(StreamState state) {
  switch (state) {
    case StreamState::ready:
      break;
    case StreamState::captured:
      return "the stream is being captured into a graph, which only calls that a kernel of each rank runs can be part of";
    case StreamState::beside_capture:
      return "the legacy default stream takes no work while a stream that is ordered with it is captured into a graph";
    case StreamState::unknown:
      return "the driver does not know the stream";
    case StreamState::no_driver:
      return "this process has loaded no NVIDIA driver";
  }
  return nullptr;
}

void* allocate_device(std::size_t bytes) {
  const Driver& driver = the_driver();
  CUdeviceptr memory = 0;
  check(driver, driver.mem_alloc(&memory, bytes), "cuMemAlloc");
  return reinterpret_cast<void*>(memory);
}

void free_device(void* memory) {
  if (memory == nullptr) return;
  const Memory on = memory_of(memory);
  if (on.kind != MemoryKind::device) throw Error(XYLEM_ERROR_INVALID_ARGUMENT, "this is no device memory");
  const Driver& driver = the_driver();
  const ContextScope scope(driver, on);
  check(driver, driver.mem_free(address_of(memory)), "cuMemFree");
}

}  // namespace xylem::cuda

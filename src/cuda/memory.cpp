#include "cuda/memory.hpp"

#include <array>

#include "base/error.hpp"
#include "cuda/context.hpp"
#include "cuda/driver.hpp"

namespace xylem::cuda {
namespace {

CUdeviceptr address_of(const void* memory) { return reinterpret_cast<CUdeviceptr>(memory); }

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
  // A thread of the program that has not chosen a device yet.
  if (result == CUDA_ERROR_INVALID_CONTEXT) {
    const AnyContextScope scope(*driver);
    result = ask();
  }
  // The plural form answers for unknown memory too, with zeros. It fails only before cuInit and after the driver has gone:
  // then there is no device memory.
  if (result != CUDA_SUCCESS) return {};
  if (managed != 0) return {MemoryKind::managed, device, context, allocation};
  if (type == CU_MEMORYTYPE_DEVICE) return {MemoryKind::device, device, context, allocation};
  if (type == CU_MEMORYTYPE_HOST) return {MemoryKind::pinned, device, context, allocation};
  return {};
}

CUstream_st* default_stream() { return CU_STREAM_LEGACY; }

Memory memory_of_stream(CUstream_st* stream) {
  const Driver& driver = the_driver();
  Memory memory;
  check(driver, driver.stream_get_ctx(stream, &memory.context), "cuStreamGetCtx");
  return memory;
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

const char* obstacle_to_waiting(CUstream_st* stream) {
  const Driver* const driver = driver_in_process();
  if (driver == nullptr) return "this process has loaded no NVIDIA driver";
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  if (driver->stream_is_capturing(stream, &status) != CUDA_SUCCESS) return "the driver does not know the stream";
  return status == CU_STREAM_CAPTURE_STATUS_NONE ? nullptr : "the stream is being captured into a graph";
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

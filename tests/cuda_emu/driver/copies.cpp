// Copies and memsets. The executor does them; the call waits where CUDA's does: always when ordinary host memory takes
// part, and in the synchronous forms when host memory does.
#include "driver/driver.hpp"

namespace cuda_emu {
namespace {

struct Side {
  std::uint64_t address = 0;
  std::uint64_t pitch = 0;
  bool device = false;    // or managed
  bool ordinary = false;  // host memory that the executor does not see
};

enum class Expected { kAny, kHost, kDevice };

// The whole range must lie in one allocation, or in none of ours.
Side side(Driver& driver, std::uint64_t address, std::uint64_t pitch, std::uint64_t rows, std::uint64_t width,
          Expected expected) {
  Allocation* const allocation = driver.memory.find(address);
  if (allocation == nullptr) {
    require(!driver.addresses.contains(address) && expected != Expected::kDevice);
    return {address, pitch, false, true};
  }
  const std::uint64_t last = address + (rows - 1) * pitch + width;
  if (allocation->kind == MemoryKind::kRegistered && last > allocation->address + allocation->bytes) {
    return {address, pitch, false, true};  // partly registered: as if it were not
  }
  require(last <= allocation->address + allocation->bytes);
  require(allocation->kind != MemoryKind::kVirtual || allocation->access != CU_MEM_ACCESS_FLAGS_PROT_NONE);
  const bool device = allocation->on_device() || allocation->kind == MemoryKind::kManaged;
  require(expected != Expected::kHost || !allocation->on_device());
  // Pinned memory may stand for device memory: it has the same address on both sides.
  return {address, pitch, device, false};
}

struct Copying {
  std::uint64_t to, from;
  std::uint64_t width, height = 1;
  std::uint64_t to_pitch = 0, from_pitch = 0;
  Expected to_expected = Expected::kAny, from_expected = Expected::kAny;
};

void copy(Driver& driver, CUstream_st& stream, const Copying& what, bool synchronous) {
  if (what.width == 0 || what.height == 0) return;
  const Side to = side(driver, what.to, what.to_pitch, what.height, what.width, what.to_expected);
  const Side from = side(driver, what.from, what.from_pitch, what.height, what.width, what.from_expected);
  Message message{};
  message.kind = Kind::kCopy;
  message.copy = {to.address, from.address, what.width, what.height, to.pitch, from.pitch, to.ordinary, from.ordinary};
  if (synchronous) forbid_during_capture(driver);
  const std::optional<std::uint32_t> number = submit(driver, stream, message);
  const bool waits = to.ordinary || from.ordinary || (synchronous && !(to.device && from.device));
  if (number && waits) wait_for(driver, stream.slot, *number);
}

CUresult copy_now(const Copying& what) {
  return enter_context([&](Driver& driver, CUctx_st& context) { copy(driver, *context.default_stream, what, true); });
}

CUresult copy_in_stream(const Copying& what, CUstream stream) {
  return enter_context(
      [&](Driver& driver, CUctx_st& context) { copy(driver, stream_of(driver, context, stream), what, false); });
}

Copying linear(std::uint64_t to, std::uint64_t from, std::size_t bytes, Expected to_expected, Expected from_expected) {
  Copying what{};
  what.to = to;
  what.from = from;
  what.width = bytes;
  what.height = 1;
  what.to_expected = to_expected;
  what.from_expected = from_expected;
  return what;
}

std::uint64_t number(const void* pointer) { return reinterpret_cast<std::uint64_t>(pointer); }

// Where one side of a two-dimensional copy begins. Arrays are not emulated.
std::uint64_t plane(CUmemorytype type, const void* host, CUdeviceptr device, std::size_t x, std::size_t y,
                    std::size_t pitch) {
  require(type != CU_MEMORYTYPE_ARRAY, CUDA_ERROR_NOT_SUPPORTED);
  return (type == CU_MEMORYTYPE_HOST ? number(host) : device) + y * pitch + x;
}

Expected expected(CUmemorytype type) {
  if (type == CU_MEMORYTYPE_HOST) return Expected::kHost;
  return type == CU_MEMORYTYPE_DEVICE ? Expected::kDevice : Expected::kAny;
}

Copying two_dimensional(const CUDA_MEMCPY2D* what) {
  require(what != nullptr &&
          (what->Height <= 1 || (what->WidthInBytes <= what->srcPitch && what->WidthInBytes <= what->dstPitch)));
  Copying copying{};
  copying.to = plane(what->dstMemoryType, what->dstHost, what->dstDevice, what->dstXInBytes, what->dstY, what->dstPitch);
  copying.from = plane(what->srcMemoryType, what->srcHost, what->srcDevice, what->srcXInBytes, what->srcY, what->srcPitch);
  copying.width = what->WidthInBytes;
  copying.height = what->Height;
  copying.to_pitch = what->dstPitch;
  copying.from_pitch = what->srcPitch;
  copying.to_expected = expected(what->dstMemoryType);
  copying.from_expected = expected(what->srcMemoryType);
  return copying;
}

struct Filling {
  CUdeviceptr to;
  std::uint64_t width, height, pitch;
  std::uint32_t value, element_bytes;
};

void fill(Driver& driver, CUstream_st& stream, const Filling& what, bool synchronous) {
  if (what.width == 0 || what.height == 0) return;
  require(what.to % what.element_bytes == 0 && what.pitch % what.element_bytes == 0);
  const Side to = side(driver, what.to, what.pitch, what.height, what.width * what.element_bytes, Expected::kDevice);
  Message message{};
  message.kind = Kind::kFill;
  message.fill = {to.address, what.width, what.height, what.pitch, what.value, what.element_bytes};
  if (synchronous) forbid_during_capture(driver);
  const std::optional<std::uint32_t> number = submit(driver, stream, message);
  if (number && synchronous && !to.device) wait_for(driver, stream.slot, *number);
}

CUresult fill_now(const Filling& what) {
  return enter_context([&](Driver& driver, CUctx_st& context) { fill(driver, *context.default_stream, what, true); });
}

CUresult fill_in_stream(const Filling& what, CUstream stream) {
  return enter_context(
      [&](Driver& driver, CUctx_st& context) { fill(driver, stream_of(driver, context, stream), what, false); });
}

}  // namespace
}  // namespace cuda_emu

using namespace cuda_emu;

CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return copy_now(linear(to, from, bytes, Expected::kAny, Expected::kAny));
}

CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return copy_in_stream(linear(to, from, bytes, Expected::kAny, Expected::kAny), stream);
}

CUresult cuMemcpyHtoD(CUdeviceptr to, const void* from, size_t bytes) {
  return copy_now(linear(to, number(from), bytes, Expected::kDevice, Expected::kHost));
}

CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void* from, size_t bytes, CUstream stream) {
  return copy_in_stream(linear(to, number(from), bytes, Expected::kDevice, Expected::kHost), stream);
}

CUresult cuMemcpyDtoH(void* to, CUdeviceptr from, size_t bytes) {
  return copy_now(linear(number(to), from, bytes, Expected::kHost, Expected::kDevice));
}

CUresult cuMemcpyDtoHAsync(void* to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return copy_in_stream(linear(number(to), from, bytes, Expected::kHost, Expected::kDevice), stream);
}

CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return copy_now(linear(to, from, bytes, Expected::kDevice, Expected::kDevice));
}

CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return copy_in_stream(linear(to, from, bytes, Expected::kDevice, Expected::kDevice), stream);
}

CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext /*to_context*/, CUdeviceptr from, CUcontext /*from_context*/, size_t bytes) {
  return cuMemcpyDtoD(to, from, bytes);
}

CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext /*to_context*/, CUdeviceptr from, CUcontext /*from_context*/,
                           size_t bytes, CUstream stream) {
  return cuMemcpyDtoDAsync(to, from, bytes, stream);
}

CUresult cuMemcpy2D(const CUDA_MEMCPY2D* what) {
  return enter_context(
      [&](Driver& driver, CUctx_st& context) { copy(driver, *context.default_stream, two_dimensional(what), true); });
}

CUresult cuMemcpy2DUnaligned(const CUDA_MEMCPY2D* what) { return cuMemcpy2D(what); }

CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D* what, CUstream stream) {
  return enter_context([&](Driver& driver, CUctx_st& context) {
    copy(driver, stream_of(driver, context, stream), two_dimensional(what), false);
  });
}

CUresult cuMemsetD8(CUdeviceptr to, unsigned char value, size_t count) { return fill_now({to, count, 1, 0, value, 1}); }

CUresult cuMemsetD16(CUdeviceptr to, unsigned short value, size_t count) { return fill_now({to, count, 1, 0, value, 2}); }

CUresult cuMemsetD32(CUdeviceptr to, unsigned value, size_t count) { return fill_now({to, count, 1, 0, value, 4}); }

CUresult cuMemsetD2D8(CUdeviceptr to, size_t pitch, unsigned char value, size_t width, size_t height) {
  return fill_now({to, width, height, pitch, value, 1});
}

CUresult cuMemsetD2D32(CUdeviceptr to, size_t pitch, unsigned value, size_t width, size_t height) {
  return fill_now({to, width, height, pitch, value, 4});
}

CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count, CUstream stream) {
  return fill_in_stream({to, count, 1, 0, value, 1}, stream);
}

CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value, size_t count, CUstream stream) {
  return fill_in_stream({to, count, 1, 0, value, 2}, stream);
}

CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t count, CUstream stream) {
  return fill_in_stream({to, count, 1, 0, value, 4}, stream);
}

CUresult cuMemsetD2D8Async(CUdeviceptr to, size_t pitch, unsigned char value, size_t width, size_t height, CUstream stream) {
  return fill_in_stream({to, width, height, pitch, value, 1}, stream);
}

CUresult cuMemsetD2D32Async(CUdeviceptr to, size_t pitch, unsigned value, size_t width, size_t height, CUstream stream) {
  return fill_in_stream({to, width, height, pitch, value, 4}, stream);
}

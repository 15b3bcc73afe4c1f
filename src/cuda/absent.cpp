// The room in a build without CUDA's headers: all memory is host memory.
#include <cstring>
#include <utility>

#include "base/error.hpp"
#include "cuda/device_links.hpp"
#include "cuda/device_scratch.hpp"
#include "cuda/devices.hpp"
#include "cuda/event.hpp"
#include "cuda/ipc.hpp"
#include "cuda/kernel_stream.hpp"
#include "cuda/memory.hpp"
#include "cuda/pinned.hpp"
#include "cuda/presence.hpp"

namespace xylem::cuda {

namespace {
constexpr const char* kWhy = "this build of Xylem has no device support: it was made without CUDA's headers";
}

bool may_have_device_buffers() { return false; }
bool built_in() { return false; }

Devices list_devices() { return {{}, {}, kWhy}; }

Memory memory_of(const void*) { return {}; }
CUstream_st* default_stream() { return nullptr; }
CUstream_st* copy_stream(const Memory&) { return nullptr; }
Memory memory_of_stream(CUstream_st*) { throw Error(XYLEM_ERROR_UNSUPPORTED, kWhy); }
void copy(void* to, const void* from, std::size_t bytes, const Memory&, CUstream_st*) { std::memcpy(to, from, bytes); }
void copy_in_stream(void* to, const void* from, std::size_t bytes, const Memory&, CUstream_st*) {
  std::memcpy(to, from, bytes);
}
void wait_for(CUstream_st*, const Memory&) {}
StreamState state_of(CUstream_st*) { return StreamState::no_driver; }
const char* obstacle_to_waiting(StreamState state) { return state == StreamState::ready ? nullptr : kWhy; }
void* allocate_device(std::size_t) { throw Error(XYLEM_ERROR_UNSUPPORTED, kWhy); }
void free_device(void* memory) {
  if (memory != nullptr) throw Error(XYLEM_ERROR_UNSUPPORTED, kWhy);
}

PinnedMemory::PinnedMemory(std::size_t bytes, const Memory&) : piece_{new std::byte[bytes], bytes, {}} {}
PinnedMemory::~PinnedMemory() { delete[] piece_.data; }
PinnedMemory::PinnedMemory(PinnedMemory&& other) noexcept : piece_(std::exchange(other.piece_, {})) {}
PinnedMemory& PinnedMemory::operator=(PinnedMemory&& other) noexcept {
  std::swap(piece_, other.piece_);
  return *this;
}

std::uint64_t this_process() { throw Error(XYLEM_ERROR_UNSUPPORTED, kWhy); }
DeviceUuid uuid_of(int) { throw Error(XYLEM_ERROR_UNSUPPORTED, kWhy); }
BufferExport::BufferExport(const void*, std::size_t, const Memory&) { throw Error(XYLEM_ERROR_UNSUPPORTED, kWhy); }
BufferLease opened_buffer(const ExportedBuffer&, const Memory&) { return nullptr; }
BufferLease open_buffer(const ExportedBuffer&, const Memory&) { throw Error(XYLEM_ERROR_UNSUPPORTED, kWhy); }
OpenedBuffer::~OpenedBuffer() = default;
HeldBuffer::~HeldBuffer() = default;

Event::Event(const Memory&) { throw Error(XYLEM_ERROR_UNSUPPORTED, kWhy); }
Event::Event(const ExportedEvent&, const Memory&) { throw Error(XYLEM_ERROR_UNSUPPORTED, kWhy); }
Event::Event(Event&& other) noexcept = default;
Event::~Event() = default;
ExportedEvent Event::exported() const { return {}; }
void Event::record(CUstream_st*) const {}
void Event::hold(CUstream_st*) const {}
bool Event::done() const { return true; }

DeviceScratch::DeviceScratch(const Memory& near) : near_(near) {}
DeviceScratch::~DeviceScratch() = default;
bool DeviceScratch::lives() const { return true; }
void DeviceScratch::reserve(std::size_t) {}

DeviceLinks::DeviceLinks(const Memory&, std::uint32_t, std::uint32_t, std::uint32_t&, CUstream_st*) {
  throw Error(XYLEM_ERROR_UNSUPPORTED, kWhy);
}
DeviceLinks::~DeviceLinks() = default;
void DeviceLinks::connect(std::span<const ExportedBuffer>) {}
exec::Endpoints* DeviceLinks::endpoints() const { return nullptr; }
const LineEndpoints* DeviceLinks::lines() const { return nullptr; }

KernelStream::KernelStream(const Memory&) { throw Error(XYLEM_ERROR_UNSUPPORTED, kWhy); }
KernelStream::~KernelStream() = default;
bool KernelStream::lives() const { return true; }
void KernelStream::reserve(unsigned) {}
unsigned KernelStream::room(const std::string&) const { return 0; }
void KernelStream::launch(const std::string&, KernelCall, unsigned, CUstream_st*) {}
KernelReport KernelStream::take_fault() { return {}; }

}  // namespace xylem::cuda

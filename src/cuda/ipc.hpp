// Device memory across processes: what a rank says of its buffer so that others can open it, and what this process has
// opened.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

#include "cuda/file.hpp"
#include "cuda/memory.hpp"

namespace xylem::cuda {

// A number that no other process has.
std::uint64_t this_process();

// Names a GPU in every process that may use it.
using DeviceUuid = std::array<std::uint8_t, 16>;
DeviceUuid uuid_of(int device);

namespace detail {
// For tests whose ranks are threads: from now on each answer of uuid_of() is another one, so that each rank goes as if it had
// a GPU of its own. All their kernels must have room on the one that there is.
void tell_apart();
}  // namespace detail

// A buffer as other processes learn of it. The driver exports whole allocations; the offset leads to the buffer in it.
struct ExportedBuffer {
  std::uint64_t process = 0;     // of no other process; 0: there is no buffer
  std::uint64_t allocation = 0;  // of no other allocation of that process
  std::uint64_t base = 0;        // of the allocation, in that process
  std::uint64_t bytes = 0;       // of the allocation
  std::uint64_t offset = 0;
  std::array<std::uint8_t, 64> handle{};  // of the driver; or, of mapped memory, where its file is found
  std::uint64_t mapped = 0;               // 1: memory of cuMemCreate
};
static_assert(std::is_trivially_copyable_v<ExportedBuffer>);

// Device memory that is told to others. They open it while this object lives.
class BufferExport {
 public:
  BufferExport() = default;  // of no buffer
  // Throws Error where the driver does not export it: memory of pools, of cuMemCreate without that in mind, or what lies
  // across several mappings.
  BufferExport(const void* address, std::size_t bytes, const Memory& memory);

  const ExportedBuffer& info() const { return info_; }

 private:
  ExportedBuffer info_;
  File file_;  // of mapped memory
};

// An exported buffer of another process, open as long as the object lives. A buffer of this process is given as it is. Open
// no buffer while a kernel of this process waits for others: the driver may wait for that kernel.
class OpenedBuffer {
 public:
  // In the context of `near`. Throws Error.
  OpenedBuffer(const ExportedBuffer& buffer, const Memory& near);
  ~OpenedBuffer();
  OpenedBuffer(OpenedBuffer&& other) noexcept;
  OpenedBuffer& operator=(OpenedBuffer&&) = delete;

  const ExportedBuffer& what() const { return what_; }
  const Memory& near() const { return near_; }
  // Of the whole allocation.
  std::byte* base() const { return base_; }
  // Of an exported buffer that lies in the same allocation.
  std::byte* address(const ExportedBuffer& buffer) const { return base_ + buffer.offset; }

 private:
  ExportedBuffer what_;
  Memory near_;
  std::byte* base_ = nullptr;
  bool foreign_ = false;
};

// Open as long as one of these lives.
using BufferLease = std::shared_ptr<const OpenedBuffer>;

// An exported buffer in the context of `near`, if it is open there; else null. Thread-safe.
BufferLease opened_buffer(const ExportedBuffer& buffer, const Memory& near);

// An exported buffer, opened if need be in the context of `near`. Without a lease it stays open until its allocation is seen
// to have gone or many others have been opened since. Throws Error. Thread-safe.
BufferLease open_buffer(const ExportedBuffer& buffer, const Memory& near);

// Opens an exported buffer, holds it open while it lives, and closes it unless somebody else has a lease.
class HeldBuffer {
 public:
  // Throws Error.
  HeldBuffer(const ExportedBuffer& buffer, const Memory& near) : lease_(open_buffer(buffer, near)) {}
  ~HeldBuffer();
  HeldBuffer(HeldBuffer&& other) noexcept = default;
  HeldBuffer& operator=(HeldBuffer&&) = delete;

 private:
  BufferLease lease_;
};

}  // namespace xylem::cuda

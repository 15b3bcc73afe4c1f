// Device memory across processes: what a rank says of its buffer so that others can open it, and what this process has
// opened.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

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
  std::array<std::uint8_t, 64> handle{};
};
static_assert(std::is_trivially_copyable_v<ExportedBuffer>);

// Device memory. Throws Error where the driver does not export it: memory of some pools, for one.
ExportedBuffer export_buffer(const void* address, const Memory& memory);

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

 private:
  ExportedBuffer what_;
  Memory near_;
  std::byte* base_ = nullptr;
  bool foreign_ = false;
};

// The address of an exported buffer in this process if it is open in the context of `near` or needs not be opened; else null.
// Thread-safe.
std::byte* opened_buffer(const ExportedBuffer& buffer, const Memory& near);

// The address of an exported buffer in this process, in the context of `near`; open until its allocation is seen to have gone
// or, unless somebody holds it, many others have been opened since. Throws Error. Thread-safe.
std::byte* open_buffer(const ExportedBuffer& buffer, const Memory& near);

// Opens an exported buffer and holds it open while it lives.
class HeldBuffer {
 public:
  // Throws Error.
  HeldBuffer(const ExportedBuffer& buffer, const Memory& near);
  ~HeldBuffer();
  HeldBuffer(HeldBuffer&& other) noexcept;
  HeldBuffer& operator=(HeldBuffer&&) = delete;

 private:
  ExportedBuffer buffer_;
  Memory near_;
  bool holds_ = true;
};

}  // namespace xylem::cuda

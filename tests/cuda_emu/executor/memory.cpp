#include "executor/memory.hpp"

#include <cuda.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>

#include "executor/application.hpp"

namespace cuda_emu {
namespace {

constexpr std::uint8_t kPoison = 0xCD;
constexpr std::size_t kPoisonedBytes = std::size_t{1} << 20;  // the first of an allocation, so that large ones cost little

Hello reserved;
int arena_file = -1;

template <class T>
T* at(std::uint64_t address) {
  return reinterpret_cast<T*>(address);  // NOLINT: an address that means the same in both processes
}

bool in_region(std::uint64_t address) {
  return address >= reserved.region && address - reserved.region < reserved.region_bytes;
}

// The call is process_vm_readv or process_vm_writev; it may move less than was asked for.
void move_remote(auto call, std::byte* local, std::uint64_t remote, std::size_t bytes) {
  while (bytes > 0) {
    const iovec here{local, bytes};
    const iovec there{at<void>(remote), bytes};
    const ssize_t done = call(application().process, &here, 1, &there, 1, 0);
    if (done <= 0) lose_contexts(CUDA_ERROR_ILLEGAL_ADDRESS, "a copy touches memory that the application does not have");
    local += done;
    remote += static_cast<std::size_t>(done);
    bytes -= static_cast<std::size_t>(done);
  }
}

void copy_row(const Copy& copy, std::uint64_t to, std::uint64_t from) {
  if (copy.to_is_remote && copy.from_is_remote) {
    std::vector<std::byte> buffer(copy.width);
    move_remote(process_vm_readv, buffer.data(), from, copy.width);
    move_remote(process_vm_writev, buffer.data(), to, copy.width);
  } else if (copy.from_is_remote) {
    move_remote(process_vm_readv, at<std::byte>(to), from, copy.width);
  } else if (copy.to_is_remote) {
    move_remote(process_vm_writev, at<std::byte>(from), to, copy.width);
  } else {
    std::memmove(at<void>(to), at<void>(from), copy.width);
  }
}

template <class T>
void fill_row(std::uint64_t to, std::uint64_t width, std::uint32_t value) {
  std::fill_n(at<T>(to), width, static_cast<T>(value));
}

template <class T>
bool holds(const Value& value) {
  const T now = std::atomic_ref<T>(*at<T>(value.address)).load(std::memory_order_acquire);
  const T wanted = static_cast<T>(value.value);
  switch (value.flags & 0x3U) {
    case CU_STREAM_WAIT_VALUE_GEQ:
      return static_cast<std::make_signed_t<T>>(now - wanted) >= 0;
    case CU_STREAM_WAIT_VALUE_EQ:
      return now == wanted;
    case CU_STREAM_WAIT_VALUE_AND:
      return (now & wanted) != 0;
    default:
      return (~(now | wanted)) != 0;  // NOR
  }
}

}  // namespace

std::uint32_t reserve_memory(const Hello& hello, int arena) {
  void* const got = mmap(at<void>(hello.region), hello.region_bytes, PROT_NONE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (got != at<void>(hello.region)) return CUDA_ERROR_MAP_FAILED;
  reserved = hello;
  arena_file = arena;
  return CUDA_SUCCESS;
}

std::uint32_t map_memory(const Mapping& mapping, int file) {
  const int where = in_region(mapping.address) ? MAP_FIXED : MAP_FIXED_NOREPLACE;
  void* const wanted = at<void>(mapping.address);
  void* const got = mmap(wanted, mapping.bytes, PROT_READ | (mapping.read_only ? 0 : PROT_WRITE), MAP_SHARED | where,
                         file < 0 ? arena_file : file, static_cast<off_t>(mapping.offset));
  if (got == MAP_FAILED) return CUDA_ERROR_MAP_FAILED;
  if (got != wanted) {
    munmap(got, mapping.bytes);
    return CUDA_ERROR_MAP_FAILED;
  }
  if (mapping.poison) std::memset(got, kPoison, std::min(mapping.bytes, kPoisonedBytes));
  return CUDA_SUCCESS;
}

std::uint32_t unmap_memory(const Mapping& mapping) {
  if (!in_region(mapping.address))
    return munmap(at<void>(mapping.address), mapping.bytes) == 0 ? CUDA_SUCCESS : CUDA_ERROR_UNMAP_FAILED;
  const void* const got = mmap(at<void>(mapping.address), mapping.bytes, PROT_NONE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  return got == MAP_FAILED ? CUDA_ERROR_UNMAP_FAILED : CUDA_SUCCESS;
}

void copy_memory(const Copy& copy) {
  now_doing("a copy");
  for (std::uint64_t row = 0; row < copy.height; ++row) {
    copy_row(copy, copy.to + row * copy.to_pitch, copy.from + row * copy.from_pitch);
  }
}

void fill_memory(const Fill& fill) {
  now_doing("a memset");
  for (std::uint64_t row = 0; row < fill.height; ++row) {
    const std::uint64_t to = fill.to + row * fill.pitch;
    if (fill.element_bytes == 1) fill_row<std::uint8_t>(to, fill.width, fill.value);
    if (fill.element_bytes == 2) fill_row<std::uint16_t>(to, fill.width, fill.value);
    if (fill.element_bytes == 4) fill_row<std::uint32_t>(to, fill.width, fill.value);
  }
}

void write_value(const Value& value) {
  now_doing("cuStreamWriteValue");
  if (value.bytes == 4) {
    std::atomic_ref<std::uint32_t>(*at<std::uint32_t>(value.address)).store(static_cast<std::uint32_t>(value.value));
  } else {
    std::atomic_ref<std::uint64_t>(*at<std::uint64_t>(value.address)).store(value.value);
  }
}

void wait_for_value(const Value& value) {
  now_doing("cuStreamWaitValue");
  for (unsigned looks = 0; !(value.bytes == 4 ? holds<std::uint32_t>(value) : holds<std::uint64_t>(value)); ++looks) {
    if (looks < 100) {
      sched_yield();
    } else {
      usleep(100);
    }
  }
}

}  // namespace cuda_emu

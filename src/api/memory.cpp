// Memory of the C API: where it lies, getting and copying it.
#include <cstring>
#include <map>
#include <mutex>

#include "api/errors.hpp"
#include "cuda/memory.hpp"
#include "cuda/pinned.hpp"

namespace {

using xylem::api::fail;
using xylem::api::guarded;
using xylem::cuda::MemoryKind;

struct PinnedPieces {
  std::mutex mutex;
  std::map<void*, xylem::cuda::PinnedMemory> by_address;
};

// Never destroyed: memory may be given back by destructors of the program that run after those of this library.
PinnedPieces& pinned_pieces() {
  static PinnedPieces& it = *new PinnedPieces;
  return it;
}

bool free_pinned(void* memory) {
  PinnedPieces& all = pinned_pieces();
  const std::lock_guard lock(all.mutex);
  return all.by_address.erase(memory) != 0;
}

}  // namespace

xylem_memory xylem_mem_kind(const void* address) {
  static_assert(static_cast<int>(MemoryKind::host) == XYLEM_MEMORY_HOST &&
                static_cast<int>(MemoryKind::pinned) == XYLEM_MEMORY_PINNED &&
                static_cast<int>(MemoryKind::managed) == XYLEM_MEMORY_MANAGED &&
                static_cast<int>(MemoryKind::device) == XYLEM_MEMORY_DEVICE);
  try {
    return static_cast<xylem_memory>(xylem::cuda::memory_of(address).kind);
  } catch (const xylem::Error&) {
    return XYLEM_MEMORY_DEVICE;  // the driver does not answer any more, and the CPU cannot touch it
  }
}

xylem_status xylem_mem_alloc(void** memory, size_t bytes, xylem_memory kind) {
  return guarded("xylem_mem_alloc", [&] {
    if (memory == nullptr) return fail(XYLEM_ERROR_INVALID_ARGUMENT, "xylem_mem_alloc: memory is NULL");
    *memory = nullptr;
    if (bytes == 0) return fail(XYLEM_ERROR_INVALID_ARGUMENT, "xylem_mem_alloc: 0 bytes");
    if (kind == XYLEM_MEMORY_DEVICE) {
      *memory = xylem::cuda::allocate_device(bytes);
      return XYLEM_SUCCESS;
    }
    if (kind != XYLEM_MEMORY_PINNED) {
      return fail(XYLEM_ERROR_INVALID_ARGUMENT, "xylem_mem_alloc: allocates device or pinned memory only");
    }
    xylem::cuda::PinnedMemory piece(bytes, {});
    PinnedPieces& all = pinned_pieces();
    const std::lock_guard lock(all.mutex);
    *memory = piece.data();
    all.by_address.emplace(piece.data(), std::move(piece));
    return XYLEM_SUCCESS;
  });
}

xylem_status xylem_mem_free(void* memory) {
  return guarded("xylem_mem_free", [&] {
    if (memory != nullptr && !free_pinned(memory)) xylem::cuda::free_device(memory);
    return XYLEM_SUCCESS;
  });
}

xylem_status xylem_mem_copy(void* to, const void* from, size_t bytes) {
  return guarded("xylem_mem_copy", [&] {
    if (bytes == 0) return XYLEM_SUCCESS;
    if (to == nullptr || from == nullptr) return fail(XYLEM_ERROR_INVALID_ARGUMENT, "xylem_mem_copy: to or from is NULL");
    const auto only_gpu = [](const xylem::cuda::Memory& memory) {
      return memory.kind == MemoryKind::device || memory.kind == MemoryKind::managed;
    };
    const xylem::cuda::Memory target = xylem::cuda::memory_of(to), source = xylem::cuda::memory_of(from);
    if (only_gpu(target) || only_gpu(source)) {
      xylem::cuda::copy(to, from, bytes, only_gpu(target) ? target : source, xylem::cuda::default_stream());
    } else {
      std::memcpy(to, from, bytes);
    }
    return XYLEM_SUCCESS;
  });
}

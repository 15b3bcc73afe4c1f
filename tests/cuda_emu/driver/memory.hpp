// Every piece of memory that the emulated driver knows.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <map>
#include <memory>

#include "driver/file.hpp"

namespace cuda_emu {

struct Driver;

enum class MemoryKind {
  kDevice,    // cuMemAlloc
  kPool,      // cuMemAllocAsync
  kVirtual,   // cuMemMap
  kImported,  // cuIpcOpenMemHandle
  kImportedPool,
  kManaged,
  kHost,        // cuMemHostAlloc
  kRegistered,  // cuMemHostRegister
};

struct Allocation {
  MemoryKind kind = MemoryKind::kDevice;
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;   // as asked for
  std::uint64_t mapped = 0;  // whole pages
  std::uint64_t offset = 0;  // in the arena, where it is backed by it
  CUdevice device = 0;
  CUcontext context = nullptr;
  std::uint64_t id = 0;  // CU_POINTER_ATTRIBUTE_BUFFER_ID
  unsigned flags = 0;
  bool exported = false;
  unsigned references = 1;                            // how often it was opened
  std::uint64_t imported_inode = 0, imported_id = 0;  // what was opened: of which file, which allocation
  CUmemoryPool pool = nullptr;
  CUmemGenericAllocationHandle handle = 0;  // of a virtual mapping
  CUmemAccess_flags access = CU_MEM_ACCESS_FLAGS_PROT_NONE;
  bool sync_memops = false;

  bool on_device() const { return kind <= MemoryKind::kImportedPool; }
  bool in_arena() const {
    return kind == MemoryKind::kDevice || kind == MemoryKind::kPool || kind == MemoryKind::kManaged ||
           kind == MemoryKind::kHost;
  }
};

class Memory {
 public:
  Allocation& add(Allocation allocation);
  void remove(std::uint64_t address) { allocations_.erase(address); }
  Allocation* find(std::uint64_t address);  // null: not ours
  Allocation* find(const void* pointer) { return find(reinterpret_cast<std::uint64_t>(pointer)); }
  bool overlaps(std::uint64_t address, std::uint64_t bytes) const;
  auto begin() { return allocations_.begin(); }
  auto end() { return allocations_.end(); }

  // A fresh part of the arena. None is used twice: who still maps what was freed never sees what came after.
  std::uint64_t take_offset(std::uint64_t bytes);

 private:
  std::map<std::uint64_t, Allocation> allocations_;
  std::uint64_t next_id_ = 1;
  std::uint64_t next_offset_ = 0;
};

// Memory of the arena, mapped in the executor and, if the CPU may touch it, here. Throws Error.
Allocation& allocate(Driver& driver, MemoryKind kind, CUdevice device, CUcontext context, std::uint64_t bytes);

// Unmaps it everywhere and forgets it.
void release(Driver& driver, Allocation& allocation);

// cuMemHostUnregister: ordinary memory again.
void unregister_memory(Driver& driver, Allocation& allocation);

// Of what stream-ordered frees have left behind.
void reap_stream_ordered_frees(Driver& driver);

}  // namespace cuda_emu

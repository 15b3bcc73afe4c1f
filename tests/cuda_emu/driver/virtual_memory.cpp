// Memory apart from addresses: cuMemCreate, cuMemAddressReserve, cuMemMap, and sharing by file descriptor.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "driver/driver.hpp"

namespace cuda_emu {
namespace {

constexpr std::uint64_t kGranularity = std::uint64_t{2} << 20;
constexpr std::uint64_t kMark = 0x6375646176656d75;

// Behind the memory itself in its file, for who imports it.
struct Description {
  std::uint64_t mark;
  std::uint64_t device;  // machine-wide
  std::uint64_t bytes;
};

PhysicalMemory& physical_memory(Driver& driver, CUmemGenericAllocationHandle handle) {
  const auto found = driver.virtual_memory.physical.find(handle);
  require(found != driver.virtual_memory.physical.end());
  return found->second;
}

void drop_reference(Driver& driver, CUmemGenericAllocationHandle handle) {
  PhysicalMemory& memory = physical_memory(driver, handle);
  if (--memory.references > 0) return;
  driver.device(memory.properties.location.id).used_bytes -= memory.bytes;
  driver.virtual_memory.physical.erase(handle);
}

CUmemGenericAllocationHandle add_physical(Driver& driver, PhysicalMemory memory) {
  driver.device(memory.properties.location.id).used_bytes += memory.bytes;
  const CUmemGenericAllocationHandle handle = driver.virtual_memory.next_handle++;
  driver.virtual_memory.physical.emplace(handle, std::move(memory));
  return handle;
}

bool reserved(const Driver& driver, std::uint64_t address, std::uint64_t bytes) {
  auto next = driver.virtual_memory.reservations.upper_bound(address);
  if (next == driver.virtual_memory.reservations.begin()) return false;
  const auto [begin, length] = *std::prev(next);
  return address + bytes <= begin + length;
}

Allocation& mapping_at(Driver& driver, std::uint64_t address) {
  Allocation* const allocation = driver.memory.find(address);
  require(allocation != nullptr && allocation->kind == MemoryKind::kVirtual);
  return *allocation;
}

void send_mapping(Driver& driver, const Allocation& allocation, Kind kind) {
  Message message{};
  message.kind = kind;
  message.mapping = {allocation.address, allocation.mapped, allocation.offset, 0, 0};
  const int descriptor = physical_memory(driver, allocation.handle).file.get();
  driver.executor->request(message, {}, {&descriptor, kind == Kind::kMap ? 1U : 0U});
}

}  // namespace
}  // namespace cuda_emu

using namespace cuda_emu;

CUresult cuMemGetAllocationGranularity(size_t* bytes, const CUmemAllocationProp* properties,
                                       CUmemAllocationGranularity_flags) {
  return enter([&](Driver& /*driver*/) {
    require(bytes != nullptr && properties != nullptr);
    *bytes = kGranularity;
  });
}

CUresult cuMemCreate(CUmemGenericAllocationHandle* handle, size_t bytes, const CUmemAllocationProp* properties,
                     unsigned long long flags) {
  return enter_context([&](Driver& driver, CUctx_st& context) {
    require(handle != nullptr && properties != nullptr && flags == 0 && bytes > 0 && bytes % kGranularity == 0);
    require(properties->type == CU_MEM_ALLOCATION_TYPE_PINNED && properties->location.type == CU_MEM_LOCATION_TYPE_DEVICE);
    require((properties->requestedHandleTypes & ~CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) == 0, CUDA_ERROR_NOT_SUPPORTED);
    const EmulatedDevice& device = driver.device(properties->location.id);
    require(!driver.failures.now("alloc"), CUDA_ERROR_OUT_OF_MEMORY);
    require(bytes <= driver.settings.memory_bytes && device.used_bytes <= driver.settings.memory_bytes - bytes,
            CUDA_ERROR_OUT_OF_MEMORY);
    synchronize(driver, context);
    PhysicalMemory memory{};
    memory.bytes = bytes;
    memory.properties = *properties;
    memory.file = shared_memory("cuda_emu_memory", bytes + kPage);
    const Description description{kMark, device.lock, bytes};
    require(pwrite(memory.file.get(), &description, sizeof description, static_cast<off_t>(bytes)) == sizeof description,
            CUDA_ERROR_OUT_OF_MEMORY);
    *handle = add_physical(driver, std::move(memory));
  });
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
  return enter([&](Driver& driver) { drop_reference(driver, handle); });
}

CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle* handle, void* pointer) {
  return enter([&](Driver& driver) {
    require(handle != nullptr);
    *handle = mapping_at(driver, reinterpret_cast<std::uint64_t>(pointer)).handle;
    ++physical_memory(driver, *handle).references;
  });
}

CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp* properties, CUmemGenericAllocationHandle handle) {
  return enter([&](Driver& driver) {
    require(properties != nullptr);
    *properties = physical_memory(driver, handle).properties;
  });
}

CUresult cuMemAddressReserve(CUdeviceptr* pointer, size_t bytes, size_t alignment, CUdeviceptr wanted,
                             unsigned long long flags) {
  return enter([&](Driver& driver) {
    require(pointer != nullptr && flags == 0 && bytes > 0 && bytes % kGranularity == 0);
    if (wanted != 0 && driver.addresses.take_at(wanted, bytes)) {
      *pointer = wanted;
    } else {
      const auto address = driver.addresses.take(bytes, alignment > kGranularity ? alignment : kGranularity);
      require(address.has_value(), CUDA_ERROR_OUT_OF_MEMORY);
      *pointer = *address;
    }
    driver.virtual_memory.reservations[*pointer] = bytes;
  });
}

CUresult cuMemAddressFree(CUdeviceptr pointer, size_t bytes) {
  return enter([&](Driver& driver) {
    const auto found = driver.virtual_memory.reservations.find(pointer);
    require(found != driver.virtual_memory.reservations.end() && found->second == bytes &&
            !driver.memory.overlaps(pointer, bytes));
    driver.virtual_memory.reservations.erase(found);
    if (driver.settings.reuse) driver.addresses.give_back(pointer, bytes);
  });
}

// Nothing can touch it before cuMemSetAccess.
CUresult cuMemMap(CUdeviceptr pointer, size_t bytes, size_t offset, CUmemGenericAllocationHandle handle,
                  unsigned long long flags) {
  return enter_context([&](Driver& driver, CUctx_st& context) {
    PhysicalMemory& memory = physical_memory(driver, handle);
    require(flags == 0 && offset % kGranularity == 0 && bytes > 0 && offset + bytes <= memory.bytes);
    require(reserved(driver, pointer, bytes) && !driver.memory.overlaps(pointer, bytes));
    Allocation allocation{};
    allocation.kind = MemoryKind::kVirtual;
    allocation.address = pointer;
    allocation.bytes = allocation.mapped = bytes;
    allocation.offset = offset;
    allocation.device = memory.properties.location.id;
    allocation.context = &context;
    allocation.handle = handle;
    ++memory.references;
    driver.memory.add(std::move(allocation));
  });
}

CUresult cuMemSetAccess(CUdeviceptr pointer, size_t bytes, const CUmemAccessDesc* access, size_t count) {
  return enter_context([&](Driver& driver, CUctx_st& context) {
    require(access != nullptr && count > 0 && mapping_at(driver, pointer).address == pointer);
    for (size_t i = 0; i < count; ++i) {
      require(access[i].location.type == CU_MEM_LOCATION_TYPE_DEVICE);
      driver.device(access[i].location.id);
    }
    synchronize(driver, context);
    for (std::uint64_t at = pointer; at < pointer + bytes;) {
      Allocation& allocation = mapping_at(driver, at);
      allocation.access = access[0].flags;
      send_mapping(driver, allocation, access[0].flags == CU_MEM_ACCESS_FLAGS_PROT_NONE ? Kind::kUnmap : Kind::kMap);
      at = allocation.address + allocation.bytes;
    }
  });
}

CUresult cuMemGetAccess(unsigned long long* flags, const CUmemLocation* /*location*/, CUdeviceptr pointer) {
  return enter([&](Driver& driver) {
    require(flags != nullptr);
    *flags = mapping_at(driver, pointer).access;
  });
}

CUresult cuMemUnmap(CUdeviceptr pointer, size_t bytes) {
  return enter_context([&](Driver& driver, CUctx_st& context) {
    require(mapping_at(driver, pointer).address == pointer);
    synchronize(driver, context);
    for (std::uint64_t at = pointer; at < pointer + bytes;) {
      const Allocation allocation = mapping_at(driver, at);
      require(at + allocation.bytes <= pointer + bytes);
      send_mapping(driver, allocation, Kind::kUnmap);
      driver.memory.remove(at);
      drop_reference(driver, allocation.handle);
      at += allocation.bytes;
    }
  });
}

CUresult cuMemExportToShareableHandle(void* shareable, CUmemGenericAllocationHandle handle, CUmemAllocationHandleType type,
                                      unsigned long long flags) {
  return enter([&](Driver& driver) {
    const PhysicalMemory& memory = physical_memory(driver, handle);
    require(shareable != nullptr && flags == 0 && type == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
    require((memory.properties.requestedHandleTypes & type) != 0);
    require(!driver.failures.now("pool_export"), CUDA_ERROR_NOT_SUPPORTED);
    *static_cast<int*>(shareable) = fcntl(memory.file.get(), F_DUPFD_CLOEXEC, 0);
  });
}

CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle* handle, void* shareable,
                                        CUmemAllocationHandleType type) {
  return enter_context([&](Driver& driver, CUctx_st& context) {
    require(handle != nullptr && type == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
    PhysicalMemory memory{};
    memory.file = File(fcntl(static_cast<int>(reinterpret_cast<std::intptr_t>(shareable)), F_DUPFD_CLOEXEC, 0));
    struct stat status {};
    require(memory.file && fstat(memory.file.get(), &status) == 0 && status.st_size > static_cast<off_t>(kPage));
    Description description{};
    const off_t where = status.st_size - static_cast<off_t>(kPage);
    require(pread(memory.file.get(), &description, sizeof description, where) == sizeof description &&
            description.mark == kMark);
    memory.bytes = description.bytes;
    memory.properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    memory.properties.requestedHandleTypes = type;
    memory.properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, {context.device}};
    for (std::size_t i = 0; i < driver.devices.size(); ++i) {
      if (driver.devices[i].lock == description.device) memory.properties.location.id = static_cast<int>(i);
    }
    *handle = add_physical(driver, std::move(memory));
  });
}

CUresult cuMemGetHandleForAddressRange(void* /*handle*/, CUdeviceptr /*pointer*/, size_t /*bytes*/,
                                       CUmemRangeHandleType /*type*/, unsigned long long /*flags*/) {
  return CUDA_ERROR_NOT_SUPPORTED;
}

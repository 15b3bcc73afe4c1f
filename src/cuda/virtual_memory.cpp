#include "cuda/virtual_memory.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <string>

#include "base/error.hpp"

namespace xylem::cuda {

namespace {

constexpr auto kFile = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;

// One reference to memory, whether or not it is mapped.
class Reference {
 public:
  Reference(const Driver& driver, CUmemGenericAllocationHandle handle) : driver_(driver), handle_(handle) {}
  ~Reference() { driver_.mem_release(handle_); }
  Reference(const Reference&) = delete;
  Reference& operator=(const Reference&) = delete;

 private:
  const Driver& driver_;
  CUmemGenericAllocationHandle handle_;
};

File take_file(const FileOfProcess& file) {
  const File process(static_cast<int>(syscall(SYS_pidfd_open, file.process, 0)));
  File taken(process.get() < 0 ? -1 : static_cast<int>(syscall(SYS_pidfd_getfd, process.get(), file.descriptor, 0)));
  if (taken.get() < 0) {
    throw system_error("cannot take file " + std::to_string(file.descriptor) + " of process " + std::to_string(file.process) +
                       ", which stands for device memory");
  }
  return taken;
}

}  // namespace

bool is_mapped(const Driver& driver, CUdeviceptr base) {
  CUmemGenericAllocationHandle handle = 0;
  if (driver.mem_retain_allocation_handle(&handle, reinterpret_cast<void*>(base)) != CUDA_SUCCESS) return false;
  driver.mem_release(handle);
  return true;
}

File export_mapping(const Driver& driver, CUdeviceptr base) {
  CUmemGenericAllocationHandle handle = 0;
  check(driver, driver.mem_retain_allocation_handle(&handle, reinterpret_cast<void*>(base)), "cuMemRetainAllocationHandle");
  const Reference reference(driver, handle);
  int descriptor = -1;
  check(driver, driver.mem_export_to_shareable_handle(&descriptor, handle, kFile, 0), "cuMemExportToShareableHandle");
  return File(descriptor);
}

CUdeviceptr import_mapping(const Driver& driver, const FileOfProcess& there, std::size_t bytes, int device) {
  const File file = take_file(there);
  CUmemGenericAllocationHandle handle = 0;
  auto* const descriptor = reinterpret_cast<void*>(static_cast<std::intptr_t>(file.get()));
  check(driver, driver.mem_import_from_shareable_handle(&handle, descriptor, kFile), "cuMemImportFromShareableHandle");
  const Reference reference(driver, handle);
  CUdeviceptr base = 0;
  check(driver, driver.mem_address_reserve(&base, bytes, 0, 0, 0), "cuMemAddressReserve");
  CUmemAccessDesc access{};
  access.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  access.location.id = device;
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  const CUresult mapped = driver.mem_map(base, bytes, 0, handle, 0);
  const CUresult result = mapped != CUDA_SUCCESS ? mapped : driver.mem_set_access(base, bytes, &access, 1);
  if (result == CUDA_SUCCESS) return base;
  if (mapped == CUDA_SUCCESS) driver.mem_unmap(base, bytes);
  driver.mem_address_free(base, bytes);
  check(driver, result, "mapping memory of another process");
  return 0;
}

void unmap(const Driver& driver, CUdeviceptr base, std::size_t bytes) {
  driver.mem_unmap(base, bytes);
  driver.mem_address_free(base, bytes);
}

}  // namespace xylem::cuda

// Stream-ordered memory, memory apart from addresses, and sharing both by file descriptor.
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <cstring>

#include "tests/device.hpp"
#include "tests/processes.hpp"

namespace cuda_emu_test {
namespace {

constexpr std::size_t kGranularity = std::size_t{2} << 20;

void send_file(const Line& line, int file) {
  char byte = 0;
  iovec part{&byte, 1};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  header.msg_control = control.data();
  header.msg_controllen = control.size();
  cmsghdr* const rights = CMSG_FIRSTHDR(&header);
  rights->cmsg_level = SOL_SOCKET;
  rights->cmsg_type = SCM_RIGHTS;
  rights->cmsg_len = CMSG_LEN(sizeof file);
  std::memcpy(CMSG_DATA(rights), &file, sizeof file);
  ASSERT_EQ(sendmsg(line.socket(), &header, 0), 1);
}

int receive_file(const Line& line) {
  char byte = 0;
  iovec part{&byte, 1};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  header.msg_control = control.data();
  header.msg_controllen = control.size();
  EXPECT_EQ(recvmsg(line.socket(), &header, 0), 1);
  int file = -1;
  std::memcpy(&file, CMSG_DATA(CMSG_FIRSTHDR(&header)), sizeof file);
  return file;
}

void* as_handle(int file) { return reinterpret_cast<void*>(static_cast<std::intptr_t>(file)); }

CUmemAllocationProp on_device(CUdevice device) {
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  properties.location.id = device;
  return properties;
}

CUdeviceptr mapped(CUmemGenericAllocationHandle handle, std::size_t bytes) {
  CUdeviceptr address = 0;
  EXPECT_CUDA(cuMemAddressReserve(&address, bytes, 0, 0, 0));
  EXPECT_CUDA(cuMemMap(address, bytes, 0, handle, 0));
  CUmemAccessDesc access{};
  access.location = on_device(0).location;
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  EXPECT_CUDA(cuMemSetAccess(address, bytes, &access, 1));
  return address;
}

cuuint64_t used(CUmemoryPool pool) {
  cuuint64_t bytes = 0;
  EXPECT_CUDA(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &bytes));
  return bytes;
}

CUmemoryPool exportable_pool() {
  CUmemPoolProps properties{};
  properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.handleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  properties.location = on_device(0).location;
  CUmemoryPool pool = nullptr;
  EXPECT_CUDA(cuMemPoolCreate(&pool, &properties));
  return pool;
}

TEST(Pools, AllocateWithoutWaiting) {
  start();
  std::uint32_t* const flags = pinned(2);
  const CUstream one = stream(), two = stream();
  const CUfunction add = function("add");
  EXPECT_CUDA(launch(function("wait_for_flag"), 1, two, WaitParameters{flags, 1, 1, flags + 1}));
  CUdeviceptr memory = 0;
  EXPECT_CUDA(cuMemAllocAsync(&memory, 400, one));
  EXPECT_CUDA(cuMemsetD32Async(memory, 4, 100, one));
  EXPECT_CUDA(launch(add, 1, one, AddParameters{words(memory), 100, 1}));
  std::vector<std::uint32_t> result(100);
  EXPECT_CUDA(cuMemcpyDtoHAsync(result.data(), memory, 400, one));
  EXPECT_CUDA(cuMemFreeAsync(memory, one));
  EXPECT_CUDA(cuStreamSynchronize(one));
  EXPECT_EQ(result, std::vector<std::uint32_t>(100, 5));
  EXPECT_EQ(std::atomic_ref<std::uint32_t>(flags[1]).load(), 0U);
  std::atomic_ref<std::uint32_t>(flags[0]).store(1);
}

TEST(Pools, WhatTheStreamFreedIsCaught) {
  start();
  const CUstream one = stream();
  const CUfunction add = function("add");
  CUdeviceptr memory = 0;
  EXPECT_CUDA(cuMemAllocAsync(&memory, 400, one));
  EXPECT_CUDA(cuMemFreeAsync(memory, one));
  EXPECT_CUDA(launch(add, 1, one, AddParameters{words(memory), 100, 1}));
  EXPECT_EQ(cuStreamSynchronize(one), CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST(Pools, CountWhatIsUsed) {
  start();
  CUmemoryPool pool = nullptr, current = nullptr;
  EXPECT_CUDA(cuDeviceGetDefaultMemPool(&pool, 0));
  EXPECT_CUDA(cuDeviceGetMemPool(&current, 0));
  EXPECT_EQ(pool, current);
  CUdeviceptr memory = 0;
  EXPECT_CUDA(cuMemAllocAsync(&memory, 5000, nullptr));
  EXPECT_EQ(used(pool), 5000U);
  EXPECT_CUDA(cuMemFreeAsync(memory, nullptr));
  EXPECT_EQ(used(pool), 0U);
  EXPECT_EQ(cuMemPoolDestroy(pool), CUDA_ERROR_NOT_SUPPORTED);
}

TEST(Pools, TheDefaultOneIsNotExportable) {
  start();
  CUdeviceptr memory = 0;
  EXPECT_CUDA(cuMemAllocAsync(&memory, 100, nullptr));
  CUmemoryPool pool = nullptr;
  EXPECT_CUDA(cuPointerGetAttribute(&pool, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, memory));
  int file = -1;
  EXPECT_EQ(cuMemPoolExportToShareableHandle(&file, pool, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0),
            CUDA_ERROR_INVALID_VALUE);
  CUmemPoolPtrExportData data{};
  EXPECT_EQ(cuMemPoolExportPointer(&data, memory), CUDA_ERROR_INVALID_VALUE);
  unsigned long long types = 99;
  unsigned legacy = 99;
  EXPECT_CUDA(cuPointerGetAttribute(&types, CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES, memory));
  EXPECT_CUDA(cuPointerGetAttribute(&legacy, CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE, memory));
  EXPECT_EQ(types, 0U);
  EXPECT_EQ(legacy, 0U);
}

TEST(Pools, OnesMadeForItAreShared) {
  const Child other([](const Line& line) {
    start();
    CUmemoryPool pool = nullptr;
    const int file = receive_file(line);
    ASSERT_CUDA(cuMemPoolImportFromShareableHandle(&pool, as_handle(file), CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    close(file);
    auto data = line.hear<CUmemPoolPtrExportData>();
    CUdeviceptr memory = 0, none = 0;
    ASSERT_CUDA(cuMemPoolImportPointer(&memory, pool, &data));
    EXPECT_EQ(cuMemAllocFromPoolAsync(&none, 100, pool, nullptr), CUDA_ERROR_INVALID_VALUE);
    EXPECT_CUDA(launch(function("add"), 1, nullptr, AddParameters{words(memory), 4, 1}));
    EXPECT_EQ(read(memory, 4), (std::vector<std::uint32_t>{6, 7, 8, 9}));
    EXPECT_CUDA(cuMemFreeAsync(memory, nullptr));
    EXPECT_CUDA(cuCtxSynchronize());
    line.say(1);
  });
  start();
  const CUmemoryPool pool = exportable_pool();
  CUdeviceptr memory = 0;
  ASSERT_CUDA(cuMemAllocFromPoolAsync(&memory, 16, pool, nullptr));
  write(memory, {5, 6, 7, 8});
  int file = -1;
  ASSERT_CUDA(cuMemPoolExportToShareableHandle(&file, pool, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
  send_file(other.line(), file);
  close(file);
  CUmemPoolPtrExportData data{};
  ASSERT_CUDA(cuMemPoolExportPointer(&data, memory));
  other.line().say(data);
  EXPECT_EQ(other.line().hear<int>(), 1);
  EXPECT_EQ(read(memory, 4), (std::vector<std::uint32_t>{6, 7, 8, 9}));
}

TEST(VirtualMemory, IsMappedTwice) {
  start();
  const CUmemAllocationProp properties = on_device(0);
  std::size_t granularity = 0;
  EXPECT_CUDA(cuMemGetAllocationGranularity(&granularity, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
  EXPECT_EQ(granularity, kGranularity);
  CUmemGenericAllocationHandle handle = 0;
  EXPECT_EQ(cuMemCreate(&handle, 4096, &properties, 0), CUDA_ERROR_INVALID_VALUE);
  ASSERT_CUDA(cuMemCreate(&handle, kGranularity, &properties, 0));
  const CUdeviceptr first = mapped(handle, kGranularity), second = mapped(handle, kGranularity);
  write(first, {1, 2, 3});
  EXPECT_EQ(read(second, 3), (std::vector<std::uint32_t>{1, 2, 3}));
  unsigned long long types = 0;
  EXPECT_CUDA(cuPointerGetAttribute(&types, CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES, first));
  EXPECT_EQ(types, static_cast<unsigned long long>(CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
  CUipcMemHandle none{};
  EXPECT_EQ(cuIpcGetMemHandle(&none, first), CUDA_ERROR_INVALID_VALUE);
  CUmemGenericAllocationHandle retained = 0;
  EXPECT_CUDA(cuMemRetainAllocationHandle(&retained, reinterpret_cast<void*>(second)));
  EXPECT_EQ(retained, handle);
  EXPECT_CUDA(cuMemRelease(retained));
  EXPECT_CUDA(cuMemUnmap(first, kGranularity));
  EXPECT_CUDA(cuMemAddressFree(first, kGranularity));
  EXPECT_CUDA(cuMemRelease(handle));
  EXPECT_EQ(read(second, 3), (std::vector<std::uint32_t>{1, 2, 3}));  // held by its mapping
  EXPECT_CUDA(cuMemUnmap(second, kGranularity));
  EXPECT_EQ(cuMemRelease(handle), CUDA_ERROR_INVALID_VALUE);
}

TEST(VirtualMemory, NeedsAccessToBeSet) {
  start();
  const CUmemAllocationProp properties = on_device(0);
  CUmemGenericAllocationHandle handle = 0;
  ASSERT_CUDA(cuMemCreate(&handle, kGranularity, &properties, 0));
  CUdeviceptr address = 0;
  ASSERT_CUDA(cuMemAddressReserve(&address, kGranularity, 0, 0, 0));
  std::uint32_t word = 0;
  EXPECT_EQ(cuMemcpyDtoH(&word, address, 4), CUDA_ERROR_INVALID_VALUE);
  ASSERT_CUDA(cuMemMap(address, kGranularity, 0, handle, 0));
  EXPECT_EQ(cuMemcpyDtoH(&word, address, 4), CUDA_ERROR_INVALID_VALUE);
  EXPECT_CUDA(launch(function("add"), 1, nullptr, AddParameters{words(address), 1, 1}));
  EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST(VirtualMemory, IsSharedByDescriptor) {
  const Child other([](const Line& line) {
    start();
    const int file = receive_file(line);
    CUmemGenericAllocationHandle handle = 0;
    ASSERT_CUDA(cuMemImportFromShareableHandle(&handle, as_handle(file), CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
    close(file);
    CUmemAllocationProp properties{};
    EXPECT_CUDA(cuMemGetAllocationPropertiesFromHandle(&properties, handle));
    EXPECT_EQ(properties.location.id, 0);
    const CUdeviceptr memory = mapped(handle, kGranularity);
    EXPECT_EQ(read(memory, 2), (std::vector<std::uint32_t>{8, 9}));
    write(memory, {10, 11});
    line.say(1);
  });
  start();
  const CUmemAllocationProp properties = on_device(0);
  CUmemGenericAllocationHandle handle = 0;
  ASSERT_CUDA(cuMemCreate(&handle, kGranularity, &properties, 0));
  const CUdeviceptr memory = mapped(handle, kGranularity);
  write(memory, {8, 9});
  int file = -1;
  ASSERT_CUDA(cuMemExportToShareableHandle(&file, handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
  send_file(other.line(), file);
  close(file);
  EXPECT_EQ(other.line().hear<int>(), 1);
  EXPECT_EQ(read(memory, 2), (std::vector<std::uint32_t>{10, 11}));
  EXPECT_EQ(
      cuMemImportFromShareableHandle(&handle, as_handle(other.line().socket()), CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR),
      CUDA_ERROR_INVALID_VALUE);
}

TEST(VirtualMemory, ExportCanFail) {
  set("CUDA_EMU_FAIL", "pool_export");
  start();
  const CUmemAllocationProp properties = on_device(0);
  CUmemGenericAllocationHandle handle = 0;
  ASSERT_CUDA(cuMemCreate(&handle, kGranularity, &properties, 0));
  int file = -1;
  EXPECT_EQ(cuMemExportToShareableHandle(&file, handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0),
            CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(cuMemPoolExportToShareableHandle(&file, exportable_pool(), CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0),
            CUDA_ERROR_NOT_SUPPORTED);
}

}  // namespace
}  // namespace cuda_emu_test

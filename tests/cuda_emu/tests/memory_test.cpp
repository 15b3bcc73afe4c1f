// Device, pinned, registered and managed memory, pointers and copies.
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <thread>

#include "tests/device.hpp"

namespace cuda_emu_test {
namespace {

template <class T>
T attribute(CUpointer_attribute which, CUdeviceptr pointer) {
  T value{};
  EXPECT_CUDA(cuPointerGetAttribute(&value, which, pointer));
  return value;
}

CUdeviceptr number(const void* pointer) { return reinterpret_cast<CUdeviceptr>(pointer); }

TEST(DeviceMemory, HoldsWhatIsCopiedToIt) {
  start();
  const std::size_t count = 100'003;
  const CUdeviceptr first = allocate(count * 4);
  const CUdeviceptr second = allocate(count * 4);
  write(first, numbers(count));
  EXPECT_CUDA(cuMemcpyDtoD(second, first, count * 4));
  EXPECT_EQ(read(second, count), numbers(count));
  EXPECT_CUDA(cuMemFree(first));
  EXPECT_CUDA(cuMemFree(second));
}

// The address sanitizer makes an exit of the signal.
bool is_segmentation_fault(int status) {
  return (WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV) || (WIFEXITED(status) && WEXITSTATUS(status) == 1);
}

TEST(DeviceMemory, TheCpuCannotTouchIt) {
  start();
  const CUdeviceptr memory = allocate(4096);
  EXPECT_EXIT(*words(memory) = 1, is_segmentation_fault, "");
  EXPECT_EXIT(_exit(*words(memory) != 0 ? 2 : 3), is_segmentation_fault, "");
}

TEST(DeviceMemory, IsNotZeroWhenItIsNew) {
  start();
  EXPECT_EQ(read(allocate(16), 4), std::vector<std::uint32_t>(4, 0xCDCDCDCD));
}

TEST(DeviceMemory, AddressesAreReused) {
  start();
  const CUdeviceptr first = allocate(1000);
  EXPECT_CUDA(cuMemFree(first));
  EXPECT_EQ(allocate(1000), first);
}

TEST(DeviceMemory, AddressesAreNotReusedIfAsked) {
  set("CUDA_EMU_REUSE", "0");
  start();
  const CUdeviceptr first = allocate(1000);
  EXPECT_CUDA(cuMemFree(first));
  EXPECT_NE(allocate(1000), first);
}

TEST(DeviceMemory, WhatWasFreedIsRefused) {
  start();
  const CUdeviceptr memory = allocate(4096);
  EXPECT_CUDA(cuMemFree(memory));
  EXPECT_EQ(cuMemFree(memory), CUDA_ERROR_INVALID_VALUE);
  std::uint32_t word = 0;
  EXPECT_EQ(cuMemcpyDtoH(&word, memory, 4), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemsetD8(memory, 0, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_CUDA(cuMemFree(0));
}

TEST(DeviceMemory, CopiesBeyondItsEndAreRefused) {
  start();
  const CUdeviceptr memory = allocate(100);
  std::vector<char> bytes(101);
  EXPECT_CUDA(cuMemcpyHtoD(memory, bytes.data(), 100));
  EXPECT_EQ(cuMemcpyHtoD(memory, bytes.data(), 101), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemcpyHtoD(number(bytes.data()), bytes.data(), 1), CUDA_ERROR_INVALID_VALUE);
}

TEST(DeviceMemory, RunsOut) {
  set("CUDA_EMU_MEMORY", "16");
  start();
  CUdeviceptr pointer = 0;
  EXPECT_EQ(cuMemAlloc(&pointer, 17 << 20), CUDA_ERROR_OUT_OF_MEMORY);
  const CUdeviceptr most = allocate(15 << 20);
  EXPECT_EQ(cuMemAlloc(&pointer, 2 << 20), CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_CUDA(cuMemFree(most));
  EXPECT_CUDA(cuMemAlloc(&pointer, 2 << 20));
  std::size_t free_bytes = 0, total = 0;
  EXPECT_CUDA(cuMemGetInfo(&free_bytes, &total));
  EXPECT_EQ(free_bytes, std::size_t{14} << 20);
  EXPECT_EQ(total, std::size_t{16} << 20);
  EXPECT_EQ(cuMemAlloc(&pointer, 0), CUDA_ERROR_INVALID_VALUE);
}

TEST(DeviceMemory, TheSecondAllocationFailsIfAsked) {
  set("CUDA_EMU_FAIL", "alloc@2");
  start();
  allocate(16);
  CUdeviceptr pointer = 0;
  EXPECT_EQ(cuMemAlloc(&pointer, 16), CUDA_ERROR_OUT_OF_MEMORY);
  allocate(16);
}

TEST(DeviceMemory, TheBaseOfAPointer) {
  start();
  const CUdeviceptr memory = allocate(1000);
  CUdeviceptr base = 0;
  std::size_t bytes = 0;
  EXPECT_CUDA(cuMemGetAddressRange(&base, &bytes, memory + 999));
  EXPECT_EQ(base, memory);
  EXPECT_EQ(bytes, 1000U);
  EXPECT_EQ(cuMemGetAddressRange(&base, &bytes, memory + 1000), CUDA_ERROR_NOT_FOUND);
}

TEST(DeviceMemory, Memsets) {
  start();
  const CUdeviceptr memory = allocate(16);
  EXPECT_CUDA(cuMemsetD32(memory, 0x01020304, 4));
  EXPECT_CUDA(cuMemsetD16(memory + 4, 0x0506, 2));
  EXPECT_CUDA(cuMemsetD8(memory + 8, 0x07, 3));
  EXPECT_EQ(read(memory, 4), (std::vector<std::uint32_t>{0x01020304, 0x05060506, 0x01070707, 0x01020304}));
  EXPECT_EQ(cuMemsetD32(memory + 1, 0, 1), CUDA_ERROR_INVALID_VALUE);
}

TEST(DeviceMemory, TwoDimensions) {
  start();
  const CUdeviceptr memory = allocate(64);
  EXPECT_CUDA(cuMemsetD8(memory, 0, 64));
  const std::vector<std::uint32_t> from = numbers(6);
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = from.data();
  copy.srcPitch = 12;
  copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.dstDevice = memory;
  copy.dstPitch = 32;
  copy.WidthInBytes = 8;
  copy.Height = 2;
  EXPECT_CUDA(cuMemcpy2D(&copy));
  EXPECT_EQ(read(memory, 10), (std::vector<std::uint32_t>{0, 1, 0, 0, 0, 0, 0, 0, 3, 4}));
}

TEST(DeviceMemory, CopiesBetweenDevices) {
  set("CUDA_EMU_DEVICES", "2");
  const CUcontext first_context = start(0);
  const CUdeviceptr first = allocate(16);
  write(first, {5, 6, 7, 8});
  const CUcontext second_context = start(1);
  const CUdeviceptr second = allocate(16);
  EXPECT_CUDA(cuMemcpyPeer(second, second_context, first, first_context, 16));
  EXPECT_EQ(read(second, 4), (std::vector<std::uint32_t>{5, 6, 7, 8}));
  EXPECT_EQ(attribute<int>(CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, first), 0);
  EXPECT_EQ(attribute<int>(CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, second), 1);
}

TEST(Pointers, OfDeviceMemory) {
  const CUcontext context = start();
  const CUdeviceptr memory = allocate(1000);
  EXPECT_EQ(attribute<unsigned>(CU_POINTER_ATTRIBUTE_MEMORY_TYPE, memory + 10), unsigned{CU_MEMORYTYPE_DEVICE});
  EXPECT_EQ(attribute<CUcontext>(CU_POINTER_ATTRIBUTE_CONTEXT, memory), context);
  EXPECT_EQ(attribute<CUdeviceptr>(CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, memory + 10), memory);
  EXPECT_EQ(attribute<std::size_t>(CU_POINTER_ATTRIBUTE_RANGE_SIZE, memory + 10), 1000U);
  EXPECT_EQ(attribute<unsigned>(CU_POINTER_ATTRIBUTE_IS_MANAGED, memory), 0U);
  EXPECT_EQ(attribute<unsigned>(CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE, memory), 1U);
  EXPECT_EQ(attribute<void*>(CU_POINTER_ATTRIBUTE_HOST_POINTER, memory), nullptr);
}

TEST(Pointers, OfOrdinaryMemoryAreUnknown) {
  start();
  int word = 0;
  unsigned type = 77;
  EXPECT_EQ(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, number(&word)), CUDA_ERROR_INVALID_VALUE);
  CUcontext context = nullptr;
  CUpointer_attribute which[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_CONTEXT};
  void* data[] = {&type, &context};
  EXPECT_CUDA(cuPointerGetAttributes(2, which, data, number(&word)));
  EXPECT_EQ(type, 0U);
  EXPECT_EQ(context, nullptr);
}

TEST(Pointers, BufferIdsAreNeverUsedTwice) {
  start();
  const CUdeviceptr first = allocate(1000);
  const auto id = attribute<unsigned long long>(CU_POINTER_ATTRIBUTE_BUFFER_ID, first);
  EXPECT_CUDA(cuMemFree(first));
  const CUdeviceptr second = allocate(1000);
  ASSERT_EQ(first, second);
  EXPECT_GT(attribute<unsigned long long>(CU_POINTER_ATTRIBUTE_BUFFER_ID, second), id);
}

TEST(HostMemory, PinnedIsSeenByBothSides) {
  start();
  std::uint32_t* const memory = pinned(1000);
  EXPECT_EQ(attribute<unsigned>(CU_POINTER_ATTRIBUTE_MEMORY_TYPE, number(memory)), unsigned{CU_MEMORYTYPE_HOST});
  CUdeviceptr device_pointer = 0;
  EXPECT_CUDA(cuMemHostGetDevicePointer(&device_pointer, memory, 0));
  memory[7] = 40;
  EXPECT_CUDA(launch(function("add"), 1, nullptr, AddParameters{words(device_pointer), 1000, 2}));
  EXPECT_CUDA(cuCtxSynchronize());
  EXPECT_EQ(memory[7], 42U);
  EXPECT_EQ(memory[999], 2U);
  EXPECT_CUDA(cuMemFreeHost(memory));
  EXPECT_EQ(cuMemFreeHost(memory), CUDA_ERROR_INVALID_VALUE);
}

TEST(HostMemory, ManagedIsSeenByBothSides) {
  start();
  CUdeviceptr memory = 0;
  EXPECT_CUDA(cuMemAllocManaged(&memory, 4000, CU_MEM_ATTACH_GLOBAL));
  std::fill_n(words(memory), 1000, 5);
  EXPECT_CUDA(launch(function("add"), 4, nullptr, AddParameters{words(memory), 1000, 1}));
  EXPECT_CUDA(cuCtxSynchronize());
  EXPECT_EQ(std::vector<std::uint32_t>(words(memory), words(memory) + 1000), std::vector<std::uint32_t>(1000, 6));
  EXPECT_EQ(attribute<unsigned>(CU_POINTER_ATTRIBUTE_IS_MANAGED, memory), 1U);
  EXPECT_EQ(attribute<unsigned>(CU_POINTER_ATTRIBUTE_MEMORY_TYPE, memory), unsigned{CU_MEMORYTYPE_DEVICE});
  EXPECT_CUDA(cuMemFree(memory));
}

TEST(HostMemory, RegisteredHeapKeepsItsContents) {
  start();
  std::vector<std::uint32_t> memory = numbers(5000);
  ASSERT_CUDA(cuMemHostRegister(memory.data(), memory.size() * 4, 0));
  EXPECT_EQ(memory, numbers(5000));
  EXPECT_CUDA(launch(function("add"), 3, nullptr, AddParameters{memory.data(), 5000, 10}));
  EXPECT_CUDA(cuCtxSynchronize());
  EXPECT_EQ(memory, numbers(5000, 10));
  EXPECT_CUDA(cuMemHostUnregister(memory.data()));
  EXPECT_EQ(memory, numbers(5000, 10));
  EXPECT_EQ(cuMemHostUnregister(memory.data()), CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
}

TEST(HostMemory, RegisteredPiecesMayShareAPage) {
  start();
  std::vector<std::uint32_t> memory = numbers(3000);
  ASSERT_CUDA(cuMemHostRegister(memory.data(), 400, 0));
  ASSERT_CUDA(cuMemHostRegister(memory.data() + 100, 8000, 0));
  EXPECT_EQ(cuMemHostRegister(memory.data() + 50, 4, 0), CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
  EXPECT_CUDA(cuMemHostUnregister(memory.data()));
  EXPECT_CUDA(launch(function("add"), 1, nullptr, AddParameters{memory.data() + 100, 2000, 1}));
  EXPECT_CUDA(cuCtxSynchronize());
  EXPECT_EQ(memory[99], 99U);
  EXPECT_EQ(memory[100], 101U);
  EXPECT_EQ(memory[2099], 2100U);
  EXPECT_EQ(memory[2100], 2100U);
  EXPECT_CUDA(cuMemHostUnregister(memory.data() + 100));
}

TEST(HostMemory, RegisteredSharedMappingStaysShared) {
  start();
  const int file = memfd_create("test", MFD_CLOEXEC);
  ASSERT_EQ(ftruncate(file, 3 * 4096), 0);
  void* const one = mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, file, 4096);
  auto* const other = static_cast<std::uint32_t*>(mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, file, 4096));
  close(file);
  ASSERT_CUDA(cuMemHostRegister(one, 8192, 0));
  EXPECT_CUDA(launch(function("add"), 1, nullptr, AddParameters{static_cast<std::uint32_t*>(one), 2048, 3}));
  EXPECT_CUDA(cuCtxSynchronize());
  EXPECT_EQ(other[0], 3U);
  EXPECT_EQ(other[2047], 3U);
  EXPECT_CUDA(cuMemHostUnregister(one));
}

TEST(HostMemory, RegisteringCanFail) {
  set("CUDA_EMU_FAIL", "register,host_alloc");
  start();
  std::vector<char> memory(100);
  EXPECT_EQ(cuMemHostRegister(memory.data(), 100, 0), CUDA_ERROR_OUT_OF_MEMORY);
  void* pointer = nullptr;
  EXPECT_EQ(cuMemHostAlloc(&pointer, 100, 0), CUDA_ERROR_OUT_OF_MEMORY);
}

TEST(HostMemory, AnyKindCanBeCopiedToAny) {
  start();
  const std::vector<std::uint32_t> values = numbers(1000, 3);
  std::vector<std::uint32_t> ordinary = values;
  const CUdeviceptr device = allocate(4000);
  std::uint32_t* const host = pinned(1000);
  CUdeviceptr managed = 0;
  EXPECT_CUDA(cuMemAllocManaged(&managed, 4000, CU_MEM_ATTACH_GLOBAL));
  EXPECT_CUDA(cuMemcpy(device, number(ordinary.data()), 4000));
  EXPECT_CUDA(cuMemcpy(number(host), device, 4000));
  EXPECT_CUDA(cuMemcpy(managed, number(host), 4000));
  std::vector<std::uint32_t> result(1000);
  EXPECT_CUDA(cuMemcpy(number(result.data()), managed, 4000));
  EXPECT_EQ(result, values);
  std::vector<std::uint32_t> again(1000);
  EXPECT_CUDA(cuMemcpy(number(again.data()), number(result.data()), 4000));
  EXPECT_EQ(again, values);
}

}  // namespace
}  // namespace cuda_emu_test

// Devices and contexts.
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <set>
#include <string>
#include <thread>

#include "tests/device.hpp"

namespace cuda_emu_test {
namespace {

std::string uuid_of(CUdevice device) {
  CUuuid uuid{};
  EXPECT_CUDA(cuDeviceGetUuid(&uuid, device));
  return std::string(uuid.bytes, sizeof uuid.bytes);
}

int attribute(CUdevice_attribute which, CUdevice device = 0) {
  int value = -1;
  EXPECT_CUDA(cuDeviceGetAttribute(&value, which, device));
  return value;
}

TEST(Devices, NothingWorksBeforeInit) {
  int count = -1;
  EXPECT_EQ(cuDeviceGetCount(&count), CUDA_ERROR_NOT_INITIALIZED);
  CUcontext context = nullptr;
  EXPECT_EQ(cuCtxGetCurrent(&context), CUDA_ERROR_NOT_INITIALIZED);
}

TEST(Devices, NumberIsSetByTheEnvironment) {
  set("CUDA_EMU_DEVICES", "4");
  EXPECT_CUDA(cuInit(0));
  int count = 0;
  EXPECT_CUDA(cuDeviceGetCount(&count));
  EXPECT_EQ(count, 4);
  CUdevice device = -1;
  EXPECT_CUDA(cuDeviceGet(&device, 3));
  EXPECT_EQ(device, 3);
  EXPECT_EQ(cuDeviceGet(&device, 4), CUDA_ERROR_INVALID_DEVICE);
}

TEST(Devices, NoneIsAnErrorOfInit) {
  set("CUDA_EMU_FAIL", "no_device");
  EXPECT_EQ(cuInit(0), CUDA_ERROR_NO_DEVICE);
  EXPECT_EQ(cuInit(0), CUDA_ERROR_NO_DEVICE);
  int count = 0;
  EXPECT_EQ(cuDeviceGetCount(&count), CUDA_ERROR_NOT_INITIALIZED);
}

TEST(Devices, UuidsDifferAndAreTheSameInEveryProcess) {
  set("CUDA_EMU_DEVICES", "2");
  const pid_t child = fork();
  if (child == 0) {
    set("CUDA_VISIBLE_DEVICES", "1");
    EXPECT_CUDA(cuInit(0));
    const std::string uuid = uuid_of(0);
    _exit(static_cast<unsigned char>(uuid[0]) ^ static_cast<unsigned char>(uuid[15]));
  }
  EXPECT_CUDA(cuInit(0));
  EXPECT_NE(uuid_of(0), uuid_of(1));
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  const std::string uuid = uuid_of(1);
  EXPECT_EQ(WEXITSTATUS(status), static_cast<unsigned char>(uuid[0]) ^ static_cast<unsigned char>(uuid[15]));
}

TEST(Devices, VisibleOnesAreChosenAndOrdered) {
  set("CUDA_EMU_DEVICES", "4");
  set("CUDA_VISIBLE_DEVICES", "2,0");
  EXPECT_CUDA(cuInit(0));
  int count = 0;
  EXPECT_CUDA(cuDeviceGetCount(&count));
  EXPECT_EQ(count, 2);
  EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_PCI_BUS_ID, 0), 0x12);
  EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_PCI_BUS_ID, 1), 0x10);
}

TEST(Devices, PeerAccessCanBeTurnedOff) {
  set("CUDA_EMU_DEVICES", "2");
  set("CUDA_EMU_PEER", "0");
  const CUcontext first = start(0);
  int can = -1;
  EXPECT_CUDA(cuDeviceCanAccessPeer(&can, 0, 1));
  EXPECT_EQ(can, 0);
  start(1);
  EXPECT_EQ(cuCtxEnablePeerAccess(first, 0), CUDA_ERROR_PEER_ACCESS_UNSUPPORTED);
}

TEST(Devices, PeerAccessIsEnabledOnce) {
  set("CUDA_EMU_DEVICES", "2");
  const CUcontext first = start(0);
  int can = -1;
  EXPECT_CUDA(cuDeviceCanAccessPeer(&can, 0, 1));
  EXPECT_EQ(can, 1);
  EXPECT_CUDA(cuDeviceCanAccessPeer(&can, 1, 1));
  EXPECT_EQ(can, 0);
  start(1);
  EXPECT_CUDA(cuCtxEnablePeerAccess(first, 0));
  EXPECT_EQ(cuCtxEnablePeerAccess(first, 0), CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
  EXPECT_CUDA(cuCtxDisablePeerAccess(first));
  EXPECT_EQ(cuCtxDisablePeerAccess(first), CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
}

TEST(Devices, AttributesThatProgramsAskFor) {
  EXPECT_CUDA(cuInit(0));
  EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR), 9);
  EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING), 1);
  EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH), 1);
  EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_WARP_SIZE), 32);
  EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT), 8);
  EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_SUPPORTED), 0);
  int value = 0;
  EXPECT_EQ(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_MAX, 0), CUDA_ERROR_INVALID_VALUE);
}

TEST(Driver, VersionIsThatOfTheToolkitUnlessItIsOld) {
  int version = 0;
  EXPECT_CUDA(cuDriverGetVersion(&version));
  EXPECT_EQ(version, CUDA_VERSION);
  set("CUDA_EMU_FAIL", "driver_old");
  EXPECT_CUDA(cuDriverGetVersion(&version));
  EXPECT_EQ(version, 11040);
}

TEST(Driver, EntriesAreFoundByTheirPlainNames) {
  void* entry = nullptr;
  CUdriverProcAddressQueryResult status{};
  EXPECT_CUDA(cuGetProcAddress("cuMemAlloc", &entry, CUDA_VERSION, 0, &status));
  EXPECT_EQ(entry, reinterpret_cast<void*>(&cuMemAlloc));
  EXPECT_EQ(status, CU_GET_PROC_ADDRESS_SUCCESS);
  EXPECT_CUDA(cuGetProcAddress("cuMemPrefetchAsync", &entry, 12000, 0, &status));
  EXPECT_EQ(status, CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
  EXPECT_CUDA(cuGetProcAddress("cuNoSuchThing", &entry, CUDA_VERSION, 0, &status));
  EXPECT_EQ(status, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
  EXPECT_EQ(entry, nullptr);
}

TEST(Driver, ErrorsHaveNames) {
  const char* text = nullptr;
  EXPECT_CUDA(cuGetErrorName(CUDA_ERROR_ILLEGAL_ADDRESS, &text));
  EXPECT_STREQ(text, "CUDA_ERROR_ILLEGAL_ADDRESS");
  EXPECT_CUDA(cuGetErrorString(CUDA_ERROR_OUT_OF_MEMORY, &text));
  EXPECT_STREQ(text, "out of memory");
  EXPECT_EQ(cuGetErrorName(static_cast<CUresult>(12345), &text), CUDA_ERROR_INVALID_VALUE);
}

TEST(Driver, AChildOfTheProcessCannotUseIt) {
  start();
  const CUdeviceptr memory = allocate(16);
  write(memory, {1, 2, 3, 4});
  const pid_t child = fork();
  if (child == 0) {
    int count = 0;
    _exit(cuDeviceGetCount(&count) == CUDA_ERROR_NOT_INITIALIZED && cuInit(0) == CUDA_ERROR_NOT_INITIALIZED ? 7 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 7);
  EXPECT_EQ(read(memory, 4), (std::vector<std::uint32_t>{1, 2, 3, 4}));  // the child's end changes nothing here
}

TEST(Contexts, CallsNeedACurrentOne) {
  EXPECT_CUDA(cuInit(0));
  CUdeviceptr pointer = 0;
  EXPECT_EQ(cuMemAlloc(&pointer, 16), CUDA_ERROR_INVALID_CONTEXT);
}

TEST(Contexts, ThePrimaryOneIsSharedAndCounted) {
  const CUcontext context = start();
  CUcontext again = nullptr;
  EXPECT_CUDA(cuDevicePrimaryCtxRetain(&again, 0));
  EXPECT_EQ(again, context);
  unsigned flags = 0;
  int active = 0;
  EXPECT_CUDA(cuDevicePrimaryCtxRelease(0));
  EXPECT_CUDA(cuDevicePrimaryCtxGetState(0, &flags, &active));
  EXPECT_EQ(active, 1);
  EXPECT_CUDA(cuDevicePrimaryCtxRelease(0));
  EXPECT_CUDA(cuDevicePrimaryCtxGetState(0, &flags, &active));
  EXPECT_EQ(active, 0);
  CUdeviceptr pointer = 0;
  EXPECT_EQ(cuMemAlloc(&pointer, 16), CUDA_ERROR_CONTEXT_IS_DESTROYED);
  EXPECT_EQ(cuDevicePrimaryCtxRelease(0), CUDA_ERROR_INVALID_CONTEXT);
}

TEST(Contexts, EachThreadHasItsOwnCurrentOne) {
  const CUcontext context = start();
  CUcontext there = context;
  std::thread([&] { EXPECT_CUDA(cuCtxGetCurrent(&there)); }).join();
  EXPECT_EQ(there, nullptr);
  CUcontext here = nullptr;
  EXPECT_CUDA(cuCtxGetCurrent(&here));
  EXPECT_EQ(here, context);
}

TEST(Contexts, PushAndPop) {
  set("CUDA_EMU_DEVICES", "2");
  const CUcontext first = start(0);
  CUcontext second = nullptr;
  EXPECT_CUDA(cuDevicePrimaryCtxRetain(&second, 1));
  EXPECT_CUDA(cuCtxPushCurrent(second));
  CUdevice device = -1;
  EXPECT_CUDA(cuCtxGetDevice(&device));
  EXPECT_EQ(device, 1);
  CUcontext popped = nullptr;
  EXPECT_CUDA(cuCtxPopCurrent(&popped));
  EXPECT_EQ(popped, second);
  EXPECT_CUDA(cuCtxGetCurrent(&popped));
  EXPECT_EQ(popped, first);
}

TEST(Contexts, DestroyingOneFreesItsMemory) {
  start();
  std::size_t before = 0, after = 0, total = 0;
  EXPECT_CUDA(cuMemGetInfo(&before, &total));
  CUcontext context = nullptr;
  EXPECT_CUDA(cuCtxCreate(&context, nullptr, 0, 0));
  allocate(1 << 20);
  EXPECT_CUDA(cuMemGetInfo(&after, &total));
  EXPECT_EQ(before - after, std::size_t{1} << 20);
  EXPECT_CUDA(cuCtxDestroy(context));
  EXPECT_CUDA(cuMemGetInfo(&after, &total));
  EXPECT_EQ(before, after);
}

}  // namespace
}  // namespace cuda_emu_test

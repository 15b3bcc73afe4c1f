// Memory and events of other processes.
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>

#include "tests/device.hpp"
#include "tests/processes.hpp"

namespace cuda_emu_test {
namespace {

CUipcMemHandle handle_of(CUdeviceptr pointer) {
  CUipcMemHandle handle{};
  EXPECT_CUDA(cuIpcGetMemHandle(&handle, pointer));
  return handle;
}

CUresult open(CUdeviceptr* pointer, const CUipcMemHandle& handle) {
  return cuIpcOpenMemHandle(pointer, handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS);
}

TEST(IpcMemory, IsTheSameInBothProcesses) {
  const Child other([](const Line& line) {
    start();
    CUdeviceptr opened = 0;
    ASSERT_CUDA(open(&opened, line.hear<CUipcMemHandle>()));
    EXPECT_EQ(read(opened, 4), (std::vector<std::uint32_t>{1, 2, 3, 4}));
    EXPECT_CUDA(launch(function("add"), 1, nullptr, AddParameters{words(opened), 4, 10}));
    EXPECT_CUDA(cuCtxSynchronize());
    line.say(1);
  });
  start();
  const CUdeviceptr memory = allocate(4096);
  write(memory, {1, 2, 3, 4});
  other.line().say(handle_of(memory));
  EXPECT_EQ(other.line().hear<int>(), 1);
  EXPECT_EQ(read(memory, 4), (std::vector<std::uint32_t>{11, 12, 13, 14}));
}

TEST(IpcMemory, AHandleIsOfTheWholeAllocation) {
  const Child other([](const Line& line) {
    start();
    CUdeviceptr opened = 0, base = 0;
    std::size_t bytes = 0;
    ASSERT_CUDA(open(&opened, line.hear<CUipcMemHandle>()));
    EXPECT_CUDA(cuMemGetAddressRange(&base, &bytes, opened));
    EXPECT_EQ(base, opened);
    EXPECT_EQ(bytes, 4000U);
    EXPECT_EQ(read(opened, 1), std::vector<std::uint32_t>{7});
    line.say(1);
  });
  start();
  const CUdeviceptr memory = allocate(4000);
  write(memory, {7});
  other.line().say(handle_of(memory + 2000));
  EXPECT_EQ(other.line().hear<int>(), 1);
}

TEST(IpcMemory, OpenedTwiceIsMappedOnce) {
  const Child other([](const Line& line) {
    start();
    const auto handle = line.hear<CUipcMemHandle>();
    CUdeviceptr first = 0, second = 0;
    ASSERT_CUDA(open(&first, handle));
    ASSERT_CUDA(open(&second, handle));
    EXPECT_EQ(first, second);
    EXPECT_CUDA(cuIpcCloseMemHandle(first));
    EXPECT_EQ(read(first, 1).size(), 1U);
    EXPECT_CUDA(cuIpcCloseMemHandle(first));
    EXPECT_EQ(cuIpcCloseMemHandle(first), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuMemFree(first), CUDA_ERROR_INVALID_VALUE);
    line.say(1);
  });
  start();
  other.line().say(handle_of(allocate(100)));
  EXPECT_EQ(other.line().hear<int>(), 1);
}

TEST(IpcMemory, AMappingIsStaleWhenItsOwnerHasFreed) {
  const Child other([](const Line& line) {
    start();
    CUdeviceptr opened = 0;
    ASSERT_CUDA(open(&opened, line.hear<CUipcMemHandle>()));
    line.say(1);
    const auto handle = line.hear<CUipcMemHandle>();
    EXPECT_NE(read(opened, 1), std::vector<std::uint32_t>{22});
    CUdeviceptr again = 0;
    ASSERT_CUDA(open(&again, handle));
    EXPECT_NE(again, opened);
    EXPECT_EQ(read(again, 1), std::vector<std::uint32_t>{22});
    line.say(2);
  });
  start();
  const CUdeviceptr first = allocate(100);
  write(first, {11});
  other.line().say(handle_of(first));
  EXPECT_EQ(other.line().hear<int>(), 1);
  EXPECT_CUDA(cuMemFree(first));
  const CUdeviceptr second = allocate(100);
  ASSERT_EQ(first, second);
  write(second, {22});
  other.line().say(handle_of(second));
  EXPECT_EQ(other.line().hear<int>(), 2);
}

TEST(IpcMemory, HandlesOfFreedMemoryAndOfEndedProcessesOpenNothing) {
  CUipcMemHandle handle{};
  {
    const Child other([](const Line& line) {
      start();
      const CUdeviceptr memory = allocate(100);
      const CUipcMemHandle freed = handle_of(memory);
      EXPECT_CUDA(cuMemFree(memory));
      line.say(freed);
      EXPECT_EQ(line.hear<int>(), 1);
    });
    start();
    CUdeviceptr opened = 0;
    handle = other.line().hear<CUipcMemHandle>();
    EXPECT_EQ(open(&opened, handle), CUDA_ERROR_INVALID_HANDLE);
    other.line().say(1);
  }
  CUdeviceptr opened = 0;
  EXPECT_EQ(open(&opened, handle), CUDA_ERROR_INVALID_HANDLE);
}

TEST(IpcMemory, TheOwnProcessDoesNotOpenIt) {
  start();
  CUdeviceptr opened = 0;
  EXPECT_EQ(open(&opened, handle_of(allocate(100))), CUDA_ERROR_INVALID_CONTEXT);
}

TEST(IpcMemory, OnlyPlainDeviceMemoryHasHandles) {
  start();
  CUipcMemHandle handle{};
  CUdeviceptr managed = 0, pooled = 0;
  EXPECT_CUDA(cuMemAllocManaged(&managed, 100, CU_MEM_ATTACH_GLOBAL));
  EXPECT_CUDA(cuMemAllocAsync(&pooled, 100, nullptr));
  EXPECT_EQ(cuIpcGetMemHandle(&handle, managed), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuIpcGetMemHandle(&handle, pooled), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuIpcGetMemHandle(&handle, reinterpret_cast<CUdeviceptr>(pinned(1))), CUDA_ERROR_INVALID_VALUE);
}

// Between devices it takes peer access, and it works where the other device is not even visible.
void open_from_other_device(const char* peer, CUresult expected) {
  set("CUDA_EMU_DEVICES", "2");
  set("CUDA_EMU_PEER", peer);
  const Child other([&](const Line& line) {
    set("CUDA_VISIBLE_DEVICES", "1");
    start();
    CUdeviceptr opened = 0;
    EXPECT_EQ(open(&opened, line.hear<CUipcMemHandle>()), expected);
    line.say(1);
  });
  start(0);
  other.line().say(handle_of(allocate(100)));
  EXPECT_EQ(other.line().hear<int>(), 1);
}

TEST(IpcMemory, IsOpenedByPeers) { open_from_other_device("1", CUDA_SUCCESS); }

TEST(IpcMemory, IsNotOpenedByOthers) { open_from_other_device("0", CUDA_ERROR_PEER_ACCESS_UNSUPPORTED); }

TEST(IpcMemory, MeansNothingOnAnotherMachine) {
  const Child other([](const Line& line) {
    set("CUDA_EMU_MACHINE", "another");
    start();
    CUdeviceptr opened = 0;
    EXPECT_EQ(open(&opened, line.hear<CUipcMemHandle>()), CUDA_ERROR_INVALID_HANDLE);
    line.say(1);
  });
  start();
  other.line().say(handle_of(allocate(100)));
  EXPECT_EQ(other.line().hear<int>(), 1);
}

TEST(IpcMemory, FailsIfAsked) {
  set("CUDA_EMU_FAIL", "ipc");
  start();
  CUipcMemHandle handle{};
  EXPECT_EQ(cuIpcGetMemHandle(&handle, allocate(100)), CUDA_ERROR_NOT_SUPPORTED);
  CUdeviceptr opened = 0;
  EXPECT_EQ(open(&opened, handle), CUDA_ERROR_MAP_FAILED);
}

TEST(IpcEvents, OrderStreamsOfTwoProcesses) {
  const Child other([](const Line& line) {
    start();
    CUevent opened = nullptr;
    ASSERT_CUDA(cuIpcOpenEventHandle(&opened, line.hear<CUipcEventHandle>()));
    std::uint32_t* const memory = pinned(1);
    EXPECT_EQ(cuEventQuery(opened), CUDA_ERROR_NOT_READY);
    const CUstream waiting = stream();
    EXPECT_CUDA(cuStreamWaitEvent(waiting, opened, 0));
    EXPECT_CUDA(cuMemsetD32Async(reinterpret_cast<CUdeviceptr>(memory), 1, 1, waiting));
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    EXPECT_EQ(*memory, 0U);
    line.say(1);
    EXPECT_CUDA(cuStreamSynchronize(waiting));
    EXPECT_EQ(*memory, 1U);
    EXPECT_CUDA(cuEventSynchronize(opened));
    line.say(2);
  });
  start();
  const CUevent plain = event(CU_EVENT_DISABLE_TIMING);
  CUipcEventHandle handle{};
  EXPECT_EQ(cuIpcGetEventHandle(&handle, plain), CUDA_ERROR_INVALID_HANDLE);
  CUevent none = nullptr;
  EXPECT_EQ(cuEventCreate(&none, CU_EVENT_INTERPROCESS), CUDA_ERROR_INVALID_VALUE);
  const CUevent shared = event(CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS);
  EXPECT_CUDA(cuIpcGetEventHandle(&handle, shared));
  std::uint32_t* const memory = pinned(1);
  EXPECT_CUDA(cuStreamWaitValue32(nullptr, reinterpret_cast<CUdeviceptr>(memory), 1, CU_STREAM_WAIT_VALUE_EQ));
  EXPECT_CUDA(cuEventRecord(shared, nullptr));
  other.line().say(handle);
  EXPECT_EQ(other.line().hear<int>(), 1);
  std::atomic_ref<std::uint32_t>(*memory).store(1);
  EXPECT_EQ(other.line().hear<int>(), 2);
}

}  // namespace
}  // namespace cuda_emu_test

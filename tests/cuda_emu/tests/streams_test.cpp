// Order and waiting: streams, events, the default stream, host functions, stream memory operations.
#include <atomic>
#include <chrono>
#include <thread>

#include "tests/device.hpp"

namespace cuda_emu_test {
namespace {

// A kernel that holds up its stream until it is let go.
class Gate {
 public:
  explicit Gate(CUstream stream) : words_(pinned(2)) {
    EXPECT_CUDA(launch(function("wait_for_flag"), 1, stream, WaitParameters{words_, 1, 1, words_ + 1}));
  }
  void open() { std::atomic_ref<std::uint32_t>(words_[0]).store(1); }
  bool passed() const { return std::atomic_ref<std::uint32_t>(words_[1]).load() == 1; }

 private:
  std::uint32_t* words_;
};

// Opens the gate when the caller has been blocked for a while; tells whether the gate was still shut when the call returned.
template <class Call>
bool blocks_until_opened(Gate& gate, Call call) {
  std::thread opener([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    gate.open();
  });
  call();
  const bool passed = gate.passed();
  opener.join();
  return passed;
}

TEST(Streams, WorkIsAsynchronousAndInOrder) {
  start();
  const CUstream one = stream();
  const CUdeviceptr memory = allocate(16);
  EXPECT_CUDA(cuMemsetD32(memory, 0, 4));
  const CUfunction add = function("add");  // what waits for all streams comes before the gate
  EXPECT_CUDA(cuCtxSynchronize());
  Gate gate(one);
  EXPECT_CUDA(launch(add, 1, one, AddParameters{words(memory), 4, 5}));
  EXPECT_EQ(cuStreamQuery(one), CUDA_ERROR_NOT_READY);
  gate.open();
  EXPECT_CUDA(cuStreamSynchronize(one));
  EXPECT_CUDA(cuStreamQuery(one));
  EXPECT_EQ(read(memory, 4), std::vector<std::uint32_t>(4, 5));
}

TEST(Streams, NonBlockingOnesDoNotWaitForEachOther) {
  start();
  const CUstream one = stream(), two = stream();
  const CUdeviceptr memory = reinterpret_cast<CUdeviceptr>(pinned(4));
  Gate gate(one);
  EXPECT_CUDA(cuMemsetD32Async(memory, 3, 4, two));
  EXPECT_CUDA(cuStreamSynchronize(two));
  EXPECT_FALSE(gate.passed());
  gate.open();
}

TEST(Streams, OnesThatBlockWaitForTheDefaultStream) {
  start();
  const CUstream blocking = stream(CU_STREAM_DEFAULT), free = stream();
  std::uint32_t* const memory = pinned(2);
  Gate gate(nullptr);
  EXPECT_CUDA(cuMemsetD32Async(reinterpret_cast<CUdeviceptr>(memory), 1, 1, blocking));
  EXPECT_CUDA(cuMemsetD32Async(reinterpret_cast<CUdeviceptr>(memory + 1), 1, 1, free));
  EXPECT_CUDA(cuStreamSynchronize(free));
  EXPECT_EQ(memory[0], 0U);
  EXPECT_EQ(memory[1], 1U);
  gate.open();
  EXPECT_CUDA(cuStreamSynchronize(blocking));
  EXPECT_EQ(memory[0], 1U);
}

TEST(Streams, TheDefaultStreamWaitsForOnesThatBlock) {
  start();
  const CUstream blocking = stream(CU_STREAM_DEFAULT);
  std::uint32_t* const memory = pinned(1);
  Gate gate(blocking);
  EXPECT_CUDA(cuMemsetD32Async(reinterpret_cast<CUdeviceptr>(memory), 1, 1, nullptr));
  EXPECT_EQ(cuStreamQuery(nullptr), CUDA_ERROR_NOT_READY);
  EXPECT_EQ(memory[0], 0U);
  EXPECT_TRUE(blocks_until_opened(gate, [] { EXPECT_CUDA(cuStreamSynchronize(nullptr)); }));
  EXPECT_EQ(memory[0], 1U);
}

TEST(Streams, EachThreadHasItsOwnDefaultStream) {
  start();
  CUcontext context = nullptr;
  EXPECT_CUDA(cuCtxGetCurrent(&context));
  unsigned long long here = 0, there = 0;
  EXPECT_CUDA(cuStreamGetId(CU_STREAM_PER_THREAD, &here));
  std::thread([&] {
    EXPECT_CUDA(cuCtxSetCurrent(context));
    EXPECT_CUDA(cuStreamGetId(CU_STREAM_PER_THREAD, &there));
  }).join();
  EXPECT_NE(here, there);
}

TEST(Streams, DestroyedOnesFinishTheirWork) {
  start();
  const CUstream one = stream();
  std::uint32_t* const memory = pinned(1);
  Gate gate(one);
  EXPECT_CUDA(cuMemsetD32Async(reinterpret_cast<CUdeviceptr>(memory), 9, 1, one));
  const CUevent done = event();
  EXPECT_CUDA(cuEventRecord(done, one));
  EXPECT_CUDA(cuStreamDestroy(one));
  EXPECT_EQ(cuStreamQuery(one), CUDA_ERROR_INVALID_HANDLE);
  gate.open();
  EXPECT_CUDA(cuEventSynchronize(done));
  EXPECT_EQ(memory[0], 9U);
}

TEST(ImplicitWaiting, FreeingWaitsForEveryStream) {
  start();
  const CUdeviceptr memory = allocate(64);
  Gate gate(stream());
  EXPECT_TRUE(blocks_until_opened(gate, [&] { EXPECT_CUDA(cuMemFree(memory)); }));
}

TEST(ImplicitWaiting, FreeingWaitsForStreamsThatWereDestroyed) {
  start();
  const CUdeviceptr memory = allocate(64);
  const CUstream one = stream();
  Gate gate(one);
  EXPECT_CUDA(cuStreamDestroy(one));
  EXPECT_TRUE(blocks_until_opened(gate, [&] { EXPECT_CUDA(cuMemFree(memory)); }));
}

TEST(ImplicitWaiting, AllocatingWaitsForEveryStream) {
  start();
  Gate gate(stream());
  EXPECT_TRUE(blocks_until_opened(gate, [&] { allocate(64); }));
}

TEST(ImplicitWaiting, RegisteringWaitsForEveryStream) {
  start();
  std::vector<char> memory(10000);
  Gate gate(stream());
  EXPECT_TRUE(blocks_until_opened(gate, [&] { EXPECT_CUDA(cuMemHostRegister(memory.data(), memory.size(), 0)); }));
}

TEST(ImplicitWaiting, CopiesToOrdinaryMemoryWait) {
  start();
  const CUstream one = stream();
  const CUdeviceptr memory = allocate(4);
  std::uint32_t word = 0;
  Gate gate(one);
  EXPECT_TRUE(blocks_until_opened(gate, [&] { EXPECT_CUDA(cuMemcpyDtoHAsync(&word, memory, 4, one)); }));
  EXPECT_EQ(word, 0xCDCDCDCD);
}

TEST(Events, AreReadyUntilRecorded) {
  start();
  const CUevent one = event();
  EXPECT_CUDA(cuEventQuery(one));
  EXPECT_CUDA(cuEventSynchronize(one));
  const CUstream work = stream();
  Gate gate(work);
  EXPECT_CUDA(cuEventRecord(one, work));
  EXPECT_EQ(cuEventQuery(one), CUDA_ERROR_NOT_READY);
  EXPECT_TRUE(blocks_until_opened(gate, [&] { EXPECT_CUDA(cuEventSynchronize(one)); }));
  EXPECT_CUDA(cuEventQuery(one));
}

TEST(Events, OrderStreams) {
  start();
  const CUstream one = stream(), two = stream();
  const CUevent done = event(CU_EVENT_DISABLE_TIMING);
  std::uint32_t* const memory = pinned(1);
  Gate gate(one);
  EXPECT_CUDA(cuEventRecord(done, one));
  EXPECT_CUDA(cuStreamWaitEvent(two, done, 0));
  EXPECT_CUDA(cuMemsetD32Async(reinterpret_cast<CUdeviceptr>(memory), 4, 1, two));
  EXPECT_EQ(cuStreamQuery(two), CUDA_ERROR_NOT_READY);
  EXPECT_EQ(memory[0], 0U);
  gate.open();
  EXPECT_CUDA(cuStreamSynchronize(two));
  EXPECT_EQ(memory[0], 4U);
}

TEST(Events, StaySatisfiedWhenTheirPlaceIsUsedAgain) {
  start();
  const CUstream one = stream(), two = stream();
  const CUevent first = event();
  EXPECT_CUDA(cuEventRecord(first, one));
  EXPECT_CUDA(cuEventSynchronize(first));
  Gate gate(two);
  EXPECT_CUDA(cuStreamWaitEvent(two, first, 0));
  EXPECT_CUDA(cuEventDestroy(first));
  const CUevent second = event();
  EXPECT_CUDA(cuEventQuery(second));
  gate.open();
  EXPECT_CUDA(cuStreamSynchronize(two));
  float milliseconds = 0;
  EXPECT_EQ(cuEventElapsedTime(&milliseconds, second, second), CUDA_ERROR_INVALID_HANDLE);
}

TEST(Events, TellTime) {
  start();
  const CUevent from = event(), to = event(), untimed = event(CU_EVENT_DISABLE_TIMING);
  float milliseconds = -1;
  EXPECT_EQ(cuEventElapsedTime(&milliseconds, from, to), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_CUDA(cuEventRecord(from, nullptr));
  Gate gate(nullptr);
  EXPECT_CUDA(cuEventRecord(to, nullptr));
  EXPECT_CUDA(cuEventRecord(untimed, nullptr));
  EXPECT_EQ(cuEventElapsedTime(&milliseconds, from, to), CUDA_ERROR_NOT_READY);
  gate.open();
  EXPECT_CUDA(cuEventSynchronize(to));
  EXPECT_CUDA(cuEventElapsedTime(&milliseconds, from, to));
  EXPECT_GE(milliseconds, 0.0F);
  EXPECT_EQ(cuEventElapsedTime(&milliseconds, from, untimed), CUDA_ERROR_INVALID_HANDLE);
}

TEST(Events, BelongToTheContextOfTheirStream) {
  set("CUDA_EMU_DEVICES", "2");
  start(0);
  const CUevent first = event();
  start(1);
  EXPECT_EQ(cuEventRecord(first, nullptr), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_CUDA(cuEventDestroy(first));
  EXPECT_EQ(cuEventQuery(first), CUDA_ERROR_INVALID_HANDLE);
}

TEST(HostFunctions, AreCalledInOrderAndHoldTheStream) {
  start();
  const CUstream one = stream();
  std::uint32_t* const memory = pinned(1);
  Gate gate(one);
  std::vector<int> calls;
  struct Call {
    std::vector<int>* calls;
    std::uint32_t* memory;
    int number;
  };
  Call first{&calls, memory, 1}, second{&calls, memory, 2};
  const CUhostFn note = [](void* data) {
    const Call& call = *static_cast<Call*>(data);
    call.calls->push_back(call.number * 100 + static_cast<int>(*call.memory));
  };
  EXPECT_CUDA(cuLaunchHostFunc(one, note, &first));
  EXPECT_CUDA(cuMemsetD32Async(reinterpret_cast<CUdeviceptr>(memory), 7, 1, one));
  EXPECT_CUDA(cuLaunchHostFunc(one, note, &second));
  EXPECT_TRUE(calls.empty());
  gate.open();
  EXPECT_CUDA(cuStreamSynchronize(one));
  EXPECT_EQ(calls, (std::vector<int>{100, 207}));
}

TEST(HostFunctions, MayNotCallCuda) {
  start();
  CUresult result = CUDA_SUCCESS;
  const CUhostFn call = [](void* data) {
    CUdeviceptr pointer = 0;
    *static_cast<CUresult*>(data) = cuMemAlloc(&pointer, 16);
  };
  EXPECT_CUDA(cuLaunchHostFunc(nullptr, call, &result));
  EXPECT_CUDA(cuCtxSynchronize());
  EXPECT_EQ(result, CUDA_ERROR_NOT_PERMITTED);
}

TEST(HostFunctions, CallbacksAreToldTheirStream) {
  start();
  const CUstream one = stream();
  CUstream told = nullptr;
  EXPECT_CUDA(cuStreamAddCallback(
      one, [](CUstream calling, CUresult, void* data) { *static_cast<CUstream*>(data) = calling; }, &told, 0));
  EXPECT_CUDA(cuStreamSynchronize(one));
  EXPECT_EQ(told, one);
}

TEST(StreamMemory, ValuesAreWrittenAndWaitedFor) {
  start();
  const CUstream one = stream(), two = stream();
  std::uint32_t* const memory = pinned(4);
  const CUdeviceptr flag = reinterpret_cast<CUdeviceptr>(memory);
  EXPECT_CUDA(cuStreamWaitValue32(two, flag, 5, CU_STREAM_WAIT_VALUE_GEQ));
  EXPECT_CUDA(cuStreamWriteValue64(two, flag + 8, 0x100000002, 0));
  EXPECT_EQ(cuStreamQuery(two), CUDA_ERROR_NOT_READY);
  EXPECT_CUDA(cuStreamWriteValue32(one, flag, 6, 0));
  EXPECT_CUDA(cuStreamSynchronize(two));
  EXPECT_EQ(memory[0], 6U);
  EXPECT_EQ(memory[2], 2U);
  EXPECT_EQ(memory[3], 1U);
  EXPECT_EQ(cuStreamWriteValue32(one, flag + 2, 1, 0), CUDA_ERROR_INVALID_VALUE);
}

TEST(Streams, RandomDelaysChangeNoResult) {
  set("CUDA_EMU_DELAY", "300");
  start();
  const CUstream one = stream(), two = stream();
  const CUevent ready = event(CU_EVENT_DISABLE_TIMING);
  const CUdeviceptr memory = allocate(400);
  EXPECT_CUDA(cuMemsetD32Async(memory, 1, 100, one));
  const CUfunction add = function("add");
  for (int i = 0; i < 10; ++i) {
    EXPECT_CUDA(launch(add, 2, one, AddParameters{words(memory), 100, 1}));
    EXPECT_CUDA(cuEventRecord(ready, one));
    EXPECT_CUDA(cuStreamWaitEvent(two, ready, 0));
    EXPECT_CUDA(launch(add, 3, two, AddParameters{words(memory), 100, 2}));
    EXPECT_CUDA(cuEventRecord(ready, two));
    EXPECT_CUDA(cuStreamWaitEvent(one, ready, 0));
  }
  EXPECT_CUDA(cuCtxSynchronize());
  EXPECT_EQ(read(memory, 100), std::vector<std::uint32_t>(100, 31));
}

}  // namespace
}  // namespace cuda_emu_test

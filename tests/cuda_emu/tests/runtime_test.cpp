// The CUDA runtime over the emulated driver, as an ordinary program uses it.
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <numeric>
#include <thread>
#include <vector>

#define EXPECT_CUDART(call) EXPECT_EQ(call, cudaSuccess)

namespace {

std::vector<int> numbers(std::size_t count) {
  std::vector<int> values(count);
  std::iota(values.begin(), values.end(), 0);
  return values;
}

TEST(Runtime, OpensTheDriverWhenItIsNeeded) {
  EXPECT_EQ(dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD), nullptr);
  int count = 0;
  EXPECT_CUDART(cudaGetDeviceCount(&count));
  EXPECT_EQ(count, 1);
  EXPECT_NE(dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD), nullptr);
}

TEST(Runtime, CopiesThroughTheDevice) {
  const std::vector<int> values = numbers(10'000);
  std::vector<int> result(values.size());
  void* memory = nullptr;
  ASSERT_EQ(cudaMalloc(&memory, values.size() * sizeof(int)), cudaSuccess);
  EXPECT_CUDART(cudaMemcpy(memory, values.data(), values.size() * sizeof(int), cudaMemcpyHostToDevice));
  EXPECT_CUDART(cudaMemcpy(result.data(), memory, values.size() * sizeof(int), cudaMemcpyDefault));
  EXPECT_EQ(result, values);
  EXPECT_CUDART(cudaMemset(memory, 0, 8));
  EXPECT_CUDART(cudaMemcpy(result.data(), memory, 12, cudaMemcpyDeviceToHost));
  EXPECT_EQ(std::vector<int>(result.begin(), result.begin() + 3), (std::vector<int>{0, 0, 2}));
  EXPECT_CUDART(cudaFree(memory));
  EXPECT_CUDART(cudaFree(nullptr));
}

TEST(Runtime, KeepsTheLastError) {
  void* memory = nullptr;
  int word = 0;
  EXPECT_CUDART(cudaMalloc(&memory, 16));
  EXPECT_EQ(cudaFree(&word), cudaErrorInvalidValue);
  EXPECT_CUDART(cudaDeviceSynchronize());
  EXPECT_EQ(cudaPeekAtLastError(), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(memory, &word, 4, static_cast<cudaMemcpyKind>(9)), cudaErrorInvalidMemcpyDirection);
  std::thread([] { EXPECT_EQ(cudaGetLastError(), cudaSuccess); }).join();  // it is the thread's own
  EXPECT_STREQ(cudaGetErrorName(cudaErrorInvalidMemcpyDirection), "cudaErrorInvalidMemcpyDirection");
  EXPECT_STREQ(cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory");
}

TEST(Runtime, PointersOfAllKinds) {
  cudaPointerAttributes attributes{};
  void *device = nullptr, *pinned = nullptr, *managed = nullptr;
  int word = 0;
  EXPECT_CUDART(cudaMalloc(&device, 100));
  EXPECT_CUDART(cudaMallocHost(&pinned, 100));
  EXPECT_CUDART(cudaMallocManaged(&managed, 100, cudaMemAttachGlobal));
  EXPECT_CUDART(cudaPointerGetAttributes(&attributes, static_cast<char*>(device) + 50));
  EXPECT_EQ(attributes.type, cudaMemoryTypeDevice);
  EXPECT_EQ(attributes.device, 0);
  EXPECT_EQ(attributes.hostPointer, nullptr);
  EXPECT_CUDART(cudaPointerGetAttributes(&attributes, pinned));
  EXPECT_EQ(attributes.type, cudaMemoryTypeHost);
  EXPECT_EQ(attributes.devicePointer, pinned);
  EXPECT_CUDART(cudaPointerGetAttributes(&attributes, managed));
  EXPECT_EQ(attributes.type, cudaMemoryTypeManaged);
  EXPECT_CUDART(cudaPointerGetAttributes(&attributes, &word));
  EXPECT_EQ(attributes.type, cudaMemoryTypeUnregistered);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST(Runtime, EachThreadChoosesItsDevice) {
  setenv("CUDA_EMU_DEVICES", "3", 1);
  int device = -1;
  EXPECT_CUDART(cudaSetDevice(2));
  EXPECT_EQ(cudaSetDevice(3), cudaErrorInvalidDevice);
  EXPECT_CUDART(cudaGetDevice(&device));
  EXPECT_EQ(device, 2);
  void* memory = nullptr;
  cudaPointerAttributes attributes{};
  EXPECT_CUDART(cudaMalloc(&memory, 100));
  EXPECT_CUDART(cudaPointerGetAttributes(&attributes, memory));
  EXPECT_EQ(attributes.device, 2);
  std::thread([] {
    int there = -1;
    EXPECT_CUDART(cudaGetDevice(&there));
    EXPECT_EQ(there, 0);
  }).join();
  cudaDeviceProp properties{};
  EXPECT_CUDART(cudaGetDeviceProperties(&properties, 2));
  EXPECT_STREQ(properties.name, "Emulated GPU");
  EXPECT_EQ(properties.major, 9);
  EXPECT_EQ(properties.multiProcessorCount, 8);
  EXPECT_EQ(properties.totalGlobalMem, std::size_t{4} << 30);
}

TEST(Runtime, StreamsEventsAndGraphs) {
  cudaStream_t stream = nullptr;
  cudaEvent_t event = nullptr;
  EXPECT_CUDART(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  EXPECT_CUDART(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  const std::vector<int> values = numbers(100);
  void *from = nullptr, *to = nullptr, *result = nullptr;
  EXPECT_CUDART(cudaMalloc(&from, 400));
  EXPECT_CUDART(cudaMallocAsync(&to, 400, stream));
  EXPECT_CUDART(cudaHostAlloc(&result, 400, cudaHostAllocDefault));
  EXPECT_CUDART(cudaMemcpy(from, values.data(), 400, cudaMemcpyHostToDevice));
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  EXPECT_CUDART(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  EXPECT_CUDART(cudaMemcpyAsync(to, from, 400, cudaMemcpyDeviceToDevice, stream));
  EXPECT_CUDART(cudaMemcpyAsync(result, to, 400, cudaMemcpyDeviceToHost, stream));
  EXPECT_CUDART(cudaStreamEndCapture(stream, &graph));
  EXPECT_CUDART(cudaGraphInstantiate(&executable, graph, 0));
  EXPECT_CUDART(cudaGraphLaunch(executable, stream));
  EXPECT_CUDART(cudaEventRecord(event, stream));
  EXPECT_CUDART(cudaEventSynchronize(event));
  EXPECT_CUDART(cudaEventQuery(event));
  EXPECT_EQ(std::vector<int>(static_cast<int*>(result), static_cast<int*>(result) + 100), values);
  EXPECT_CUDART(cudaFreeAsync(to, stream));
  EXPECT_CUDART(cudaStreamDestroy(stream));
}

TEST(Runtime, ResetFreesEverything) {
  std::size_t before = 0, after = 0, total = 0;
  EXPECT_CUDART(cudaMemGetInfo(&before, &total));
  void* memory = nullptr;
  EXPECT_CUDART(cudaMalloc(&memory, 1 << 20));
  EXPECT_CUDART(cudaDeviceReset());
  EXPECT_CUDART(cudaMemGetInfo(&after, &total));
  EXPECT_EQ(before, after);
}

TEST(Runtime, AnOldDriverAndNoDeviceAreErrorsOfTheirOwn) {
  int count = -1;
  setenv("CUDA_EMU_FAIL", "driver_old", 1);
  EXPECT_EQ(cudaGetDeviceCount(&count), cudaErrorInsufficientDriver);
  EXPECT_EQ(count, 0);
  setenv("CUDA_EMU_FAIL", "no_device", 1);
  EXPECT_EQ(cudaGetDeviceCount(&count), cudaErrorNoDevice);
  void* memory = nullptr;
  EXPECT_EQ(cudaMalloc(&memory, 16), cudaErrorNoDevice);
}

}  // namespace

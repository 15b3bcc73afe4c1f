// What the tests of the emulated GPU share: an initialised driver with a context, and small helpers around it.
#pragma once

#include <cuda.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <vector>

#include "tests/kernels.hpp"

#define EXPECT_CUDA(call) EXPECT_EQ(call, CUDA_SUCCESS)
#define ASSERT_CUDA(call) ASSERT_EQ(call, CUDA_SUCCESS)

namespace cuda_emu_test {

inline void set(const char* name, const char* value) { setenv(name, value, 1); }

// Each test is a process of its own, so the environment can still be set. The kernels are those of tests/kernels.cpp.
inline CUcontext start(CUdevice device = 0) {
  set("CUDA_EMU_KERNELS", CUDA_EMU_TEST_KERNELS);
  CUcontext context = nullptr;
  EXPECT_CUDA(cuInit(0));
  EXPECT_CUDA(cuDevicePrimaryCtxRetain(&context, device));
  EXPECT_CUDA(cuCtxSetCurrent(context));
  return context;
}

inline CUfunction function(const char* name) {
  CUmodule module = nullptr;
  CUfunction found = nullptr;
  EXPECT_CUDA(cuModuleLoadData(&module, "image"));
  EXPECT_CUDA(cuModuleGetFunction(&found, module, name));
  return found;
}

template <class Parameters>
CUresult launch(CUfunction kernel, unsigned blocks, CUstream stream, Parameters parameters) {
  void* pointers[] = {&parameters};
  return cuLaunchKernel(kernel, blocks, 1, 1, 32, 1, 1, 0, stream, pointers, nullptr);
}

template <class Parameters>
CUresult launch_cooperative(CUfunction kernel, unsigned blocks, CUstream stream, Parameters parameters) {
  void* pointers[] = {&parameters};
  return cuLaunchCooperativeKernel(kernel, blocks, 1, 1, 32, 1, 1, 0, stream, pointers);
}

inline CUdeviceptr allocate(std::size_t bytes) {
  CUdeviceptr pointer = 0;
  EXPECT_CUDA(cuMemAlloc(&pointer, bytes));
  return pointer;
}

// Pinned words, zeroed, that host and device both see.
inline std::uint32_t* pinned(std::size_t count) {
  void* pointer = nullptr;
  EXPECT_CUDA(cuMemHostAlloc(&pointer, count * sizeof(std::uint32_t), 0));
  auto* const words = static_cast<std::uint32_t*>(pointer);
  std::fill_n(words, count, 0);
  return words;
}

inline std::uint32_t* words(CUdeviceptr pointer) { return reinterpret_cast<std::uint32_t*>(pointer); }

inline std::vector<std::uint32_t> numbers(std::size_t count, std::uint32_t first = 0) {
  std::vector<std::uint32_t> values(count);
  std::iota(values.begin(), values.end(), first);
  return values;
}

inline std::vector<std::uint32_t> read(CUdeviceptr pointer, std::size_t count) {
  std::vector<std::uint32_t> values(count);
  EXPECT_CUDA(cuMemcpyDtoH(values.data(), pointer, count * sizeof(std::uint32_t)));
  return values;
}

inline void write(CUdeviceptr pointer, const std::vector<std::uint32_t>& values) {
  EXPECT_CUDA(cuMemcpyHtoD(pointer, values.data(), values.size() * sizeof(std::uint32_t)));
}

inline CUstream stream(unsigned flags = CU_STREAM_NON_BLOCKING) {
  CUstream made = nullptr;
  EXPECT_CUDA(cuStreamCreate(&made, flags));
  return made;
}

inline CUevent event(unsigned flags = CU_EVENT_DEFAULT) {
  CUevent made = nullptr;
  EXPECT_CUDA(cuEventCreate(&made, flags));
  return made;
}

}  // namespace cuda_emu_test

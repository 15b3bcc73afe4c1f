// Ranks of an MPI job that use the emulated GPUs by themselves: each reads and changes its right neighbour's memory, kernels
// of ranks on one device take turns, and nobody frees anything.
#include <cuda.h>
#include <mpi.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <vector>

#include "tests/kernels.hpp"

namespace {

constexpr std::uint32_t kCount = 10'000;
constexpr std::uint32_t kRounds = 5;

int rank = 0, size = 0;

void check(CUresult result, const char* what) {
  if (result == CUDA_SUCCESS) return;
  const char* name = "?";
  (void)cuGetErrorName(result, &name);
  std::fprintf(stderr, "rank %d: %s: %s\n", rank, what, name);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

CUdeviceptr memory_filled_with(std::uint32_t value) {
  CUdeviceptr memory = 0;
  check(cuMemAlloc(&memory, kCount * sizeof value), "cuMemAlloc");
  check(cuMemsetD32(memory, value, kCount), "cuMemsetD32");
  check(cuCtxSynchronize(), "cuCtxSynchronize");
  return memory;
}

CUdeviceptr open_neighbour(CUdeviceptr mine) {
  CUipcMemHandle handle{};
  std::vector<CUipcMemHandle> handles(static_cast<std::size_t>(size));
  check(cuIpcGetMemHandle(&handle, mine), "cuIpcGetMemHandle");
  MPI_Allgather(&handle, sizeof handle, MPI_BYTE, handles.data(), sizeof handle, MPI_BYTE, MPI_COMM_WORLD);
  CUdeviceptr opened = 0;
  const auto neighbour = static_cast<std::size_t>((rank + 1) % size);
  check(cuIpcOpenMemHandle(&opened, handles[neighbour], CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS), "cuIpcOpenMemHandle");
  return opened;
}

bool holds(CUdeviceptr memory, std::uint32_t value) {
  std::vector<std::uint32_t> words(kCount);
  check(cuMemcpyDtoH(words.data(), memory, kCount * sizeof value), "cuMemcpyDtoH");
  const bool right = words == std::vector<std::uint32_t>(kCount, value);
  if (!right) std::fprintf(stderr, "rank %d: %u instead of %u\n", rank, words[0], value);
  return right;
}

// Beside an MPI that replaces mmap and its like by its own.
bool registers_memory(CUfunction add) {
  std::vector<std::uint32_t> words(kCount, 1);
  check(cuMemHostRegister(words.data(), kCount * sizeof(std::uint32_t), 0), "cuMemHostRegister");
  cuda_emu_test::AddParameters parameters{words.data(), kCount, 2};
  void* pointers[] = {&parameters};
  check(cuLaunchKernel(add, 2, 1, 1, 32, 1, 1, 0, nullptr, pointers, nullptr), "cuLaunchKernel");
  check(cuMemHostUnregister(words.data()), "cuMemHostUnregister");
  const bool right = words == std::vector<std::uint32_t>(kCount, 3);
  if (!right) std::fprintf(stderr, "rank %d: registered memory: %u instead of 3\n", rank, words[0]);
  return right;
}

bool run() {
  int devices = 0;
  check(cuInit(0), "cuInit");
  check(cuDeviceGetCount(&devices), "cuDeviceGetCount");
  CUcontext context = nullptr;
  check(cuDevicePrimaryCtxRetain(&context, rank % devices), "cuDevicePrimaryCtxRetain");
  check(cuCtxSetCurrent(context), "cuCtxSetCurrent");
  CUmodule module = nullptr;
  CUfunction add = nullptr;
  check(cuModuleLoadData(&module, "image"), "cuModuleLoadData");
  check(cuModuleGetFunction(&add, module, "add"), "cuModuleGetFunction");

  const auto own = static_cast<std::uint32_t>(rank), left = static_cast<std::uint32_t>((rank + size - 1) % size);
  const CUdeviceptr mine = memory_filled_with(own);
  const CUdeviceptr neighbour = open_neighbour(mine);
  for (std::uint32_t round = 0; round < kRounds; ++round) {
    cuda_emu_test::AddParameters parameters{reinterpret_cast<std::uint32_t*>(neighbour), kCount, own + 1};
    void* pointers[] = {&parameters};
    check(cuLaunchKernel(add, 4, 1, 1, 32, 1, 1, 0, nullptr, pointers, nullptr), "cuLaunchKernel");
    check(cuCtxSynchronize(), "cuCtxSynchronize");
    MPI_Barrier(MPI_COMM_WORLD);
  }
  return holds(mine, own + kRounds * (left + 1)) && registers_memory(add);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const bool right = run();
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return right ? 0 : 1;
}

#include "executor/kernels.hpp"

#include <cuda.h>
#include <dlfcn.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <sstream>
#include <vector>

#include "executor/application.hpp"
#include "executor/block_threads.hpp"
#include "executor/devices.hpp"

namespace cuda_emu {
namespace {

std::vector<cuda_emu_kernel>& kernels() {
  static std::vector<cuda_emu_kernel> all;
  return all;
}

// Never destroyed: its threads end with the process.
BlockThreads& block_threads() {
  static auto* const threads = new BlockThreads;
  return *threads;
}

}  // namespace

void open_kernel_libraries(const std::string& paths) {
  std::istringstream list(paths);
  for (std::string path; std::getline(list, path, ':');) {
    if (path.empty()) continue;
    void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    void* const table = library == nullptr ? nullptr : dlsym(library, "cuda_emu_kernels");
    if (table == nullptr) {
      std::fprintf(stderr, "cuda_emu: CUDA_EMU_KERNELS: %s\n", dlerror());
      continue;
    }
    std::size_t count = 0;
    const cuda_emu_kernel* const first = reinterpret_cast<decltype(&cuda_emu_kernels)>(table)(&count);
    kernels().insert(kernels().end(), first, first + count);
  }
}

int find_kernel(const std::string& name) {
  for (std::size_t number = 0; number < kernels().size(); ++number) {
    if (name == kernels()[number].name) return static_cast<int>(number);
  }
  return -1;
}

const cuda_emu_kernel& kernel(std::uint32_t number) { return kernels().at(number); }

void run_kernel(const Launch& launch, std::span<const std::byte> parameters) {
  const cuda_emu_kernel& kernel = kernels().at(launch.kernel);
  if (launch.fail) {
    lose_contexts(CUDA_ERROR_ILLEGAL_ADDRESS,
                  (std::string(kernel.name) + ": illegal address, as CUDA_EMU_FAIL asks").c_str());
  }
  alignas(64) std::array<std::byte, kMaxParameterBytes> copy;
  std::memcpy(copy.data(), parameters.data(), parameters.size());

  const Room room(launch);
  block_threads().run(launch.blocks, room.blocks(), [&](std::uint32_t block) {
    now_doing(kernel.name);
    kernel.run_block(copy.data(), block, launch.blocks);
  });
}

}  // namespace cuda_emu

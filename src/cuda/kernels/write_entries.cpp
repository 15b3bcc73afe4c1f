// write_entries FILE: writes the CUDA source with one entry point for each kernel of the list. Runs while Xylem is built, so
// that an algorithm is a header and a name in one list, and no kernel can be forgotten.
#include <cstdio>
#include <memory>

#include "cuda/kernels/kernel_list.hpp"
#include "cuda/kernels/kernel_name.hpp"

int main(int arguments, char** argument) {
  if (arguments != 2) return std::fprintf(stderr, "usage: write_entries FILE\n"), 2;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(argument[1], "w"), &std::fclose);
  if (file == nullptr) return std::perror(argument[1]), 1;
  std::fputs("// Written by write_entries.cpp.\n#include \"cuda/kernels/entry.hpp\"\n\nusing namespace xylem::cuda;\n\n",
             file.get());
  const auto names = xylem::cuda::KernelList::map([]<class A>() { return xylem::cuda::kernel_name(A::collective, A::name); });
  for (std::size_t place = 0; place < names.size(); ++place) {
    std::fprintf(file.get(),
                 "extern \"C\" __global__ void __launch_bounds__(kBlockThreads)\n"
                 "%s(const __grid_constant__ KernelCall call) { run_kernel<%zu>(call); }\n",
                 names[place].c_str(), place);
  }
  return std::ferror(file.get()) != 0 ? 1 : 0;
}

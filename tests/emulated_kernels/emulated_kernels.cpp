// Every kernel of the list, instantiated for a block on the CPU, by the name that it has on a GPU.
#include <array>

#include "cuda/kernels/kernel_list.hpp"
#include "cuda/kernels/kernel_name.hpp"
#include "cuda/kernels/run_block.hpp"
#include "cuda_emu/kernel_table.h"
#include "emulated_team.hpp"

namespace xylem::cuda {

template <class Algorithm>
void run_emulated(const void* parameters, unsigned block, unsigned blocks) {
  const auto& call = *static_cast<const KernelCall*>(parameters);
  EmulatedTeam team(call, block);
  run_block<Algorithm>(team, call, block, blocks);
}

}  // namespace xylem::cuda

extern "C" __attribute__((visibility("default"))) const cuda_emu_kernel* cuda_emu_kernels(size_t* count) {
  using namespace xylem::cuda;
  static const auto names = KernelList::map([]<class A>() { return kernel_name(A::collective, A::name); });
  static const auto kernels = [] {
    auto made = KernelList::map([]<class A>() { return cuda_emu_kernel{nullptr, sizeof(KernelCall), &run_emulated<A>}; });
    for (std::size_t i = 0; i < made.size(); ++i) made[i].name = names[i].c_str();
    return made;
  }();
  *count = kernels.size();
  return kernels.data();
}

// Kernels for the tests of the emulated GPU, in the form that its executor takes.
#include "tests/kernels.hpp"

#include <sched.h>
#include <unistd.h>

#include <array>
#include <atomic>

#include "kernel_table.h"

namespace {

using namespace cuda_emu_test;

using Word = std::atomic_ref<std::uint32_t>;

void wait_until(const std::uint32_t* word, std::uint32_t value) {
  while (Word(*const_cast<std::uint32_t*>(word)).load() != value) sched_yield();
}

void add(const void* parameters, unsigned block, unsigned blocks) {
  const auto& call = *static_cast<const AddParameters*>(parameters);
  for (std::uint32_t i = block; i < call.count; i += blocks) call.numbers[i] += call.value;
}

void wait_for_flag(const void* parameters, unsigned /*block*/, unsigned /*blocks*/) {
  const auto& call = *static_cast<const WaitParameters*>(parameters);
  if (call.started != nullptr) Word(*call.started).store(1);
  wait_until(call.flag, call.value);
  Word(*call.to).store(call.answer);
}

void meet(const void* parameters, unsigned /*block*/, unsigned blocks) {
  const auto& call = *static_cast<const MeetParameters*>(parameters);
  ++Word(*call.counter);
  wait_until(call.counter, blocks);
}

void crowd(const void* parameters, unsigned /*block*/, unsigned /*blocks*/) {
  const auto& call = *static_cast<const CrowdParameters*>(parameters);
  const std::uint32_t now = ++Word(*call.running);
  std::uint32_t most = Word(*call.most).load();
  while (most < now && !Word(*call.most).compare_exchange_weak(most, now)) {
  }
  usleep(call.microseconds);
  --Word(*call.running);
}

void nothing(const void* /*parameters*/, unsigned /*block*/, unsigned /*blocks*/) {}

}  // namespace

extern "C" __attribute__((visibility("default"))) const cuda_emu_kernel* cuda_emu_kernels(size_t* count) {
  static const std::array kernels{
      cuda_emu_kernel{"add", sizeof(AddParameters), add},
      cuda_emu_kernel{"wait_for_flag", sizeof(WaitParameters), wait_for_flag},
      cuda_emu_kernel{"meet", sizeof(MeetParameters), meet},
      cuda_emu_kernel{"crowd", sizeof(CrowdParameters), crowd},
      cuda_emu_kernel{"nothing", 0, nothing},
  };
  *count = kernels.size();
  return kernels.data();
}

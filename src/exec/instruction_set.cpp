#include "exec/instruction_set.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace xylem::exec {

namespace {

#if defined(__x86_64__)
// Clang 14 does not know "f16c" as a name for __builtin_cpu_supports.
bool has_f16c() {
  unsigned eax = 0;
  unsigned ebx = 0;
  unsigned ecx = 0;
  unsigned edx = 0;
  return __get_cpuid(1, &eax, &ebx, &ecx, &edx) != 0 && (ecx & bit_F16C) != 0;
}
#endif

}  // namespace

bool supported(InstructionSet set) {
#if defined(__x86_64__)
  __builtin_cpu_init();
  switch (set) {
    case InstructionSet::baseline:
      return true;
    case InstructionSet::avx2:
      return __builtin_cpu_supports("avx2") != 0 && has_f16c();
    case InstructionSet::avx512:
      return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
             __builtin_cpu_supports("avx512dq") != 0 && __builtin_cpu_supports("avx512vl") != 0 && has_f16c();
  }
#endif
  return set == InstructionSet::baseline;
}

InstructionSet best_instruction_set() {
  static const InstructionSet best = supported(InstructionSet::avx512) ? InstructionSet::avx512
                                     : supported(InstructionSet::avx2) ? InstructionSet::avx2
                                                                       : InstructionSet::baseline;
  return best;
}

const char* instruction_set_name(InstructionSet set) {
  switch (set) {
    case InstructionSet::baseline:
      return "baseline";
    case InstructionSet::avx2:
      return "avx2";
    case InstructionSet::avx512:
      return "avx512";
  }
  return "?";
}

}  // namespace xylem::exec

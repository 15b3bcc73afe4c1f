// The vector instructions that the data path is compiled for; which of them to use is found at run time.
#pragma once

namespace xylem::exec {

enum class InstructionSet { baseline, avx2, avx512 };

// Whether this CPU and operating system have it: baseline always; avx2 with the F16C conversions; avx512 with F, BW, DQ and
// VL.
bool supported(InstructionSet set);

// The best of those supported. Costs a load after the first call.
InstructionSet best_instruction_set();

// "avx2"
const char* instruction_set_name(InstructionSet set);

}  // namespace xylem::exec

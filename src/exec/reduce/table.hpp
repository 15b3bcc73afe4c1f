// The reductions compiled for each instruction set. Inside src/exec/ and for tests: others call find_reduce(op, type).
#pragma once

#include "exec/instruction_set.hpp"
#include "exec/reduce.hpp"

namespace xylem::exec {

// Null where MPI defines no such pair and, in the tables above the baseline, where vector instructions do not help.
struct ReduceTable {
  ReduceFunction function[XYLEM_OP_COUNT][XYLEM_TYPE_COUNT];
};

extern const ReduceTable kBaselineReductions;
#if defined(__x86_64__)
extern const ReduceTable kAvx2Reductions;
extern const ReduceTable kAvx512Reductions;
#endif

// As find_reduce(op, type), for a set that this CPU supports.
ReduceFunction find_reduce(xylem_op op, xylem_type type, InstructionSet set);

}  // namespace xylem::exec

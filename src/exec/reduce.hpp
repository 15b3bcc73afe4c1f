// Reductions of chunks: one table over all operations and types. An algorithm calls through a pointer that it got with the
// call and knows neither.
#pragma once

#include <cstddef>

#include "xylem/xylem.h"

namespace xylem::exec {

// out[i] = left[i] op right[i] for i < count. Pointers may have any alignment; out may equal left or right, and overlaps
// neither otherwise. The operand order matters for bits beside NaNs and for nothing else.
using ReduceFunction = void (*)(void* out, const void* left, const void* right, std::size_t count);

// The function for the best instruction set of this CPU, or nullptr where MPI defines no such pair (MPI-4.0 section 6.9.2).
ReduceFunction find_reduce(xylem_op op, xylem_type type);

// sizeof the C type; 0 for a value that is no type.
std::size_t type_bytes(xylem_type type);

// "int32", "sum": for messages and settings. "?" for values out of range.
const char* type_name(xylem_type type);
const char* op_name(xylem_op op);

}  // namespace xylem::exec

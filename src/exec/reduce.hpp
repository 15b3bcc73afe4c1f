// Reductions of chunks: one table over all operations and types. An algorithm calls through a pointer that it got with the
// call and knows neither.
#pragma once

#include <array>
#include <cstddef>

#include "xylem/xylem.h"

namespace xylem::exec {

// out[i] = left[i] op right[i] for i < count. Pointers may have any alignment; out may equal left or right, and overlaps
// neither otherwise. The operand order matters for bits beside NaNs and for nothing else.
using ReduceFunction = void (*)(void* out, const void* left, const void* right, std::size_t count);

// The function for the best instruction set of this CPU, or nullptr where MPI defines no such pair (MPI-4.0 section 6.9.2).
ReduceFunction find_reduce(xylem_op op, xylem_type type);
// Whether there is one.
bool has_reduce(xylem_op op, xylem_type type);

// out[i] = in[0][i] op in[1][i] op ... op in[inputs - 1][i], from the left, for i < count, with the function of a type of
// `element_bytes` bytes; at least two inputs. Reads and writes memory once, where a chain of calls would go through `out`
// again for each input. `out` may be in[0] or in[1] and overlaps no input otherwise.
void reduce_many(ReduceFunction function, std::size_t element_bytes, void* out, const void* const* in, std::size_t inputs,
                 std::size_t count);

namespace detail {
extern const std::array<std::size_t, XYLEM_TYPE_COUNT> kTypeBytes;
}

// sizeof the C type; 0 for a value that is no type. Asked several times in every call.
inline std::size_t type_bytes(xylem_type type) {
  return static_cast<unsigned>(type) < XYLEM_TYPE_COUNT ? detail::kTypeBytes[type] : 0;
}

// "int32", "sum": for messages and settings. "?" for values out of range.
const char* type_name(xylem_type type);
const char* op_name(xylem_op op);

}  // namespace xylem::exec

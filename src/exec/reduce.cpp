#include "exec/reduce.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "exec/element_types.hpp"
#include "exec/reduce/range.hpp"
#include "exec/reduce/table.hpp"

namespace xylem::exec {

namespace {

bool known(xylem_op op) { return op >= 0 && op < XYLEM_OP_COUNT; }
bool known(xylem_type type) { return type >= 0 && type < XYLEM_TYPE_COUNT; }

constexpr std::array<const char*, XYLEM_TYPE_COUNT> kTypeNames = {
    "int8",        "int16",        "int32",       "int64",         "uint8",          "uint16",
    "uint32",      "uint64",       "float16",     "bfloat16",      "float8_e4m3",    "float8_e5m2",
    "float",       "double",       "long_double", "complex_float", "complex_double", "complex_long_double",
    "bool",        "logical8",     "logical16",   "logical32",     "logical64",      "byte",
    "float_int",   "double_int",   "long_int",    "int_int",       "short_int",      "long_double_int",
    "float_float", "double_double"};
static_assert(kTypeNames.back() != nullptr);

constexpr std::array<const char*, XYLEM_OP_COUNT> kOpNames = {"sum", "prod", "max",  "min",  "land",   "band",
                                                              "lor", "bor",  "lxor", "bxor", "maxloc", "minloc"};
static_assert(kOpNames.back() != nullptr);

template <std::size_t... types>
constexpr std::array<std::size_t, XYLEM_TYPE_COUNT> make_sizes(std::index_sequence<types...>) {
  return {sizeof(ElementType<types>)...};
}
const ReduceTable& table_of(InstructionSet set) {
  switch (set) {
#if defined(__x86_64__)
    case InstructionSet::avx2:
      return kAvx2Reductions;
    case InstructionSet::avx512:
      return kAvx512Reductions;
#endif
    default:
      return kBaselineReductions;
  }
}

}  // namespace

constinit const std::array<std::size_t, XYLEM_TYPE_COUNT> detail::kTypeBytes =
    make_sizes(std::make_index_sequence<XYLEM_TYPE_COUNT>());

ReduceFunction find_reduce(xylem_op op, xylem_type type, InstructionSet set) {
  if (!known(op) || !known(type)) return nullptr;
  const ReduceFunction function = table_of(set).function[op][type];
  return function != nullptr ? function : kBaselineReductions.function[op][type];
}

ReduceFunction find_reduce(xylem_op op, xylem_type type) { return find_reduce(op, type, best_instruction_set()); }

// The baseline has every pair that there is.
bool has_reduce(xylem_op op, xylem_type type) {
  return known(op) && known(type) && kBaselineReductions.function[op][type] != nullptr;
}

void reduce_many(ReduceFunction function, std::size_t element_bytes, void* out, const void* const* in, std::size_t inputs,
                 std::size_t count) {
  // The result so far stays in the first-level cache.
  constexpr std::size_t kBlockBytes = 1024;
  const std::size_t step = kBlockBytes / element_bytes;
  for (std::size_t done = 0; done < count; done += step) {
    const std::size_t at = done * element_bytes;
    reduce_range(function, static_cast<std::byte*>(out) + at, in, inputs, at, std::min(step, count - done));
  }
}

const char* type_name(xylem_type type) { return known(type) ? kTypeNames[type] : "?"; }

const char* op_name(xylem_op op) { return known(op) ? kOpNames[op] : "?"; }

}  // namespace xylem::exec

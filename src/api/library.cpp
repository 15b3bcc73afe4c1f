// What needs no communicator: version, types, operations, statistics; and what the inline functions of xylem_mpi.h have in
// common in all sources of a program.
#include <algorithm>
#include <cstring>
#include <mutex>
#include <optional>

#include "api/errors.hpp"
#include "base/version.hpp"
#include "comm/statistics.hpp"
#include "exec/reduce.hpp"

const char* xylem_version(void) { return xylem::kVersion; }

size_t xylem_type_size(xylem_type type) { return xylem::exec::type_bytes(type); }

int xylem_op_supported(xylem_op op, xylem_type type) { return xylem::exec::has_reduce(op, type) ? 1 : 0; }

extern "C" XYLEM_API int xylem_mpi_keyval(int (*make)(int* keyval), int* keyval) {
  static std::mutex making;
  static std::optional<int> made;
  const std::lock_guard lock(making);
  if (!made) {
    int fresh = 0;
    if (const int code = make(&fresh); code != 0) return code;
    made = fresh;
  }
  *keyval = *made;
  return 0;
}

xylem_status xylem_statistics(char* text, size_t capacity, size_t* length) {
  return xylem::api::guarded("xylem_statistics", [&] {
    if (length == nullptr || (text == nullptr && capacity != 0)) {
      return xylem::api::fail(XYLEM_ERROR_INVALID_ARGUMENT, "xylem_statistics: text or length is NULL");
    }
    const std::string json = xylem::statistics_json();
    *length = json.size();
    if (capacity != 0) {
      const std::size_t fitting = std::min(capacity - 1, json.size());
      std::memcpy(text, json.data(), fitting);
      text[fitting] = '\0';
    }
    return XYLEM_SUCCESS;
  });
}

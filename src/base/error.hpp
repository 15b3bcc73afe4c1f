// How set-up fails: one exception type whose text says what failed, where and what to do. The data path does not throw; it
// returns codes (exec/). Both meet in src/api/, where nothing crosses the C boundary.
#pragma once

#include <stdexcept>
#include <string>

#include "xylem/xylem.h"

namespace xylem {

class Error : public std::runtime_error {
 public:
  Error(xylem_status code, const std::string& what) : std::runtime_error(what), code_(code) {}
  xylem_status code() const { return code_; }

 private:
  xylem_status code_;
};

// An Error for a failed system call: "<what>: <strerror(errno)>". Its code is XYLEM_ERROR_OUT_OF_MEMORY where memory, space
// or descriptors ran out, else XYLEM_ERROR_SYSTEM.
Error system_error(const std::string& what);

}  // namespace xylem

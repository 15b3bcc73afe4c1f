#include "base/error.hpp"

#include <cerrno>
#include <system_error>

namespace xylem {

Error system_error(const std::string& what) {
  const int code = errno;
  const bool exhausted = code == ENOMEM || code == ENOSPC || code == EMFILE || code == ENFILE || code == EDQUOT;
  return Error(exhausted ? XYLEM_ERROR_OUT_OF_MEMORY : XYLEM_ERROR_SYSTEM,
               what + ": " + std::generic_category().message(code));
}

}  // namespace xylem

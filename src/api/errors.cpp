#include "api/errors.hpp"

#include <array>

namespace xylem::api {

namespace {
thread_local std::string last_error;
}

xylem_status fail(xylem_status status, const std::string& text) {
  last_error = text;
  return status;
}

}  // namespace xylem::api

const char* xylem_last_error(void) { return xylem::api::last_error.c_str(); }

const char* xylem_status_string(xylem_status status) {
  static constexpr std::array texts = {"success",          "invalid argument", "unsupported", "out of memory", "system error",
                                       "mismatched calls", "peer failed",      "timeout",     "internal error"};
  const auto index = static_cast<std::size_t>(status);
  return index < texts.size() ? texts[index] : "unknown status";
}

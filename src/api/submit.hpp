// What happens to a call once its arguments are checked. `function` is the name that the user called, for messages.
#pragma once

#include "api/check.hpp"

namespace xylem::api {

// The blocking form: runs the call to its end.
xylem_status run(const char* function, const CheckedCall& checked);

}  // namespace xylem::api

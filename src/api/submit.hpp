// What happens to a call once its arguments are checked. `function` is the name that the user called, for messages.
#pragma once

#include "api/check.hpp"

namespace xylem::api {

// The blocking form: runs the call to its end.
xylem_status run(const char* function, const CheckedCall& checked);

// The nonblocking form: starts the call. *request becomes the user's, or null on failure.
xylem_status start(const char* function, const CheckedCall& checked, xylem_request_t* request);

}  // namespace xylem::api

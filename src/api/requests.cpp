// Waiting for what the nonblocking forms started.
#include <memory>

#include "api/errors.hpp"
#include "api/request.hpp"
#include "comm/progress_engine.hpp"

namespace {

using xylem::ProgressEngine;
using xylem::api::fail;
using xylem::api::guarded;

// Ends a request whose call is done.
xylem_status take(xylem_request_t& request) {
  const std::unique_ptr<xylem_request> taken(request);
  request = nullptr;
  return taken->status() == XYLEM_SUCCESS ? XYLEM_SUCCESS : fail(taken->status(), taken->error());
}

xylem_status wait(xylem_request_t& request) {
  if (request == nullptr) return XYLEM_SUCCESS;
  ProgressEngine::of_process().wait(*request);
  return take(request);
}

}  // namespace

xylem_status xylem_test(xylem_request_t* request, int* done) {
  return guarded("xylem_test", [&] {
    if (request == nullptr || done == nullptr)
      return fail(XYLEM_ERROR_INVALID_ARGUMENT, "xylem_test: request or done is NULL");
    *done = *request == nullptr || ProgressEngine::of_process().test(**request) ? 1 : 0;
    return *done == 0 || *request == nullptr ? XYLEM_SUCCESS : take(*request);
  });
}

xylem_status xylem_wait(xylem_request_t* request) {
  return guarded("xylem_wait", [&] {
    if (request == nullptr) return fail(XYLEM_ERROR_INVALID_ARGUMENT, "xylem_wait: request is NULL");
    return wait(*request);
  });
}

xylem_status xylem_wait_all(size_t count, xylem_request_t* requests) {
  return guarded("xylem_wait_all", [&] {
    if (requests == nullptr && count != 0) return fail(XYLEM_ERROR_INVALID_ARGUMENT, "xylem_wait_all: requests is NULL");
    xylem_status first = XYLEM_SUCCESS;
    std::string error;
    for (size_t i = 0; i < count; ++i) {
      const xylem_status status = wait(requests[i]);
      if (first != XYLEM_SUCCESS || status == XYLEM_SUCCESS) continue;
      first = status;
      error = xylem_last_error();
    }
    return first == XYLEM_SUCCESS ? first : fail(first, error);
  });
}

// Waiting for what the nonblocking forms started.
#include "api/errors.hpp"
#include "api/request.hpp"
#include "comm/progress_engine.hpp"

namespace {

using xylem::ProgressEngine;
using xylem::api::fail;
using xylem::api::guarded;

// Ends a request whose calls are all done. The first failure is the outcome.
xylem_status take(xylem_request_t& request) {
  const std::unique_ptr<xylem_request> taken(request);
  request = nullptr;
  for (const xylem_request* part = taken.get(); part != nullptr; part = part->rest.get()) {
    if (part->status() != XYLEM_SUCCESS) return fail(part->status(), part->error());
  }
  return XYLEM_SUCCESS;
}

xylem_status wait(xylem_request_t& request) {
  for (const xylem_request* part = request; part != nullptr; part = part->rest.get()) {
    ProgressEngine::of_process().wait(*part);
  }
  return request == nullptr ? XYLEM_SUCCESS : take(request);
}

bool test(const xylem_request* request) {
  bool done = true;
  for (; request != nullptr; request = request->rest.get()) done = ProgressEngine::of_process().test(*request) && done;
  return done;
}

}  // namespace

xylem_status xylem_test(xylem_request_t* request, int* done) {
  return guarded("xylem_test", [&] {
    if (request == nullptr || done == nullptr)
      return fail(XYLEM_ERROR_INVALID_ARGUMENT, "xylem_test: request or done is NULL");
    *done = test(*request) ? 1 : 0;
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

#include "api/submit.hpp"

#include "api/errors.hpp"
#include "api/group.hpp"
#include "api/request.hpp"

namespace xylem::api {

namespace {

[[gnu::cold]] xylem_status refuse(const char* function, xylem_status status, const std::string& reason) {
  return fail(status, std::string(function) + ": " + reason);
}
[[gnu::cold]] xylem_status refuse(const char* function, const Refusal& refusal) {
  return refuse(function, refusal.status, refusal.reason);
}

}  // namespace

xylem_status run(const char* function, const CheckedCall& checked) {
  if (checked.refusal != nullptr) return refuse(function, *checked.refusal);
  return guarded(function, [&] {
    Communicator& communicator = *checked.comm->communicator;
    if (Group* const group = open_group()) {
      group->add(communicator, checked.call);
      return XYLEM_SUCCESS;
    }
    const xylem_status status = communicator.run(checked.call);
    return status == XYLEM_SUCCESS ? status : fail(status, communicator.error());
  });
}

xylem_status start(const char* function, const CheckedCall& checked, xylem_request_t* request) {
  if (request == nullptr) return refuse(function, XYLEM_ERROR_INVALID_ARGUMENT, "request is NULL");
  *request = nullptr;
  if (checked.refusal != nullptr) return refuse(function, *checked.refusal);
  if (open_group() != nullptr) {
    return refuse(function, XYLEM_ERROR_INVALID_ARGUMENT, "nonblocking calls cannot be part of a group");
  }
  return guarded(function, [&] {
    Communicator& communicator = *checked.comm->communicator;
    auto made = std::make_unique<xylem_request>(communicator, checked.call);
    if (const xylem_status status = communicator.start(*made); status != XYLEM_SUCCESS) {
      return fail(status, made->error());
    }
    *request = made.release();
    return XYLEM_SUCCESS;
  });
}

}  // namespace xylem::api

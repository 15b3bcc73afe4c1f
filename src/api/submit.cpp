#include "api/submit.hpp"

#include "api/errors.hpp"

namespace xylem::api {

xylem_status run(const char* function, const CheckedCall& checked) {
  if (checked.status != XYLEM_SUCCESS) return fail(checked.status, std::string(function) + ": " + checked.reason);
  return guarded(function, [&] {
    Communicator& communicator = *checked.comm->communicator;
    const xylem_status status = communicator.run(checked.call);
    return status == XYLEM_SUCCESS ? status : fail(status, communicator.error());
  });
}

}  // namespace xylem::api

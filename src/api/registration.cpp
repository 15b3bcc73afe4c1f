// Buffers that are registered with a communicator.
#include <memory>

#include "api/errors.hpp"
#include "api/handle.hpp"

struct xylem_registration {
  std::vector<xylem::cuda::HeldBuffer> held;
};

using xylem::api::fail;
using xylem::api::guarded;

xylem_status xylem_comm_register(xylem_comm_t comm, void* buffer, size_t bytes, xylem_registration_t* registration) {
  return guarded("xylem_comm_register", [&] {
    if (comm == nullptr || registration == nullptr) {
      return fail(XYLEM_ERROR_INVALID_ARGUMENT, "xylem_comm_register: comm or registration is NULL");
    }
    *registration = nullptr;
    if (buffer == nullptr && bytes != 0) {
      return fail(XYLEM_ERROR_INVALID_ARGUMENT, "xylem_comm_register: buffer is NULL, and bytes are not 0");
    }
    auto made = std::make_unique<xylem_registration>();
    made->held = comm->communicator->hold(buffer, bytes);
    *registration = made.release();
    return XYLEM_SUCCESS;
  });
}

xylem_status xylem_comm_deregister(xylem_comm_t comm, xylem_registration_t registration) {
  return guarded("xylem_comm_deregister", [&] {
    if (comm == nullptr) return fail(XYLEM_ERROR_INVALID_ARGUMENT, "xylem_comm_deregister: comm is NULL");
    if (registration != nullptr) comm->communicator->release(registration->held);
    delete registration;
    return XYLEM_SUCCESS;
  });
}

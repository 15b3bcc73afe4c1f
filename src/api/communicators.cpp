#include "api/errors.hpp"
#include "api/group.hpp"
#include "api/handle.hpp"
#include "base/log.hpp"
#include "comm/user_bootstrap.hpp"

namespace {

using xylem::api::fail;
using xylem::api::guarded;

// Log lines carry the rank in the first communicator of the process: the one of all its ranks, as a rule.
void introduce(int rank) {
  static const bool once = [&] {
    xylem::log::set_identity(rank, xylem::Placement::here().host_name);
    return true;
  }();
  static_cast<void>(once);
}

}  // namespace

xylem_status xylem_comm_create(xylem_comm_t* comm, const xylem_bootstrap* bootstrap) {
  return guarded("xylem_comm_create", [&] {
    if (comm == nullptr) return fail(XYLEM_ERROR_INVALID_ARGUMENT, "xylem_comm_create: comm is NULL");
    *comm = nullptr;
    if (bootstrap == nullptr || bootstrap->allgather == nullptr) {
      return fail(XYLEM_ERROR_INVALID_ARGUMENT, "xylem_comm_create: bootstrap or its allgather is NULL");
    }
    if (bootstrap->size < 1 || bootstrap->rank < 0 || bootstrap->rank >= bootstrap->size) {
      return fail(XYLEM_ERROR_INVALID_ARGUMENT, "xylem_comm_create: the bootstrap says rank " +
                                                    std::to_string(bootstrap->rank) + " of " +
                                                    std::to_string(bootstrap->size));
    }
    introduce(bootstrap->rank);
    auto made =
        std::make_unique<xylem::Communicator>(std::make_shared<xylem::UserBootstrap>(*bootstrap), xylem::Placement::here());
    *comm = new xylem_comm(std::move(made));
    return XYLEM_SUCCESS;
  });
}

xylem_status xylem_comm_split(xylem_comm_t comm, int color, int key, xylem_comm_t* new_comm) {
  return guarded("xylem_comm_split", [&] {
    if (comm == nullptr || new_comm == nullptr) {
      return fail(XYLEM_ERROR_INVALID_ARGUMENT, "xylem_comm_split: comm or new_comm is NULL");
    }
    *new_comm = nullptr;
    std::unique_ptr<xylem::Communicator> made = comm->communicator->split(color, key);
    if (made != nullptr) *new_comm = new xylem_comm(std::move(made));
    return XYLEM_SUCCESS;
  });
}

xylem_status xylem_comm_abort(xylem_comm_t comm) {
  return guarded("xylem_comm_abort", [&] {
    if (comm == nullptr) return fail(XYLEM_ERROR_INVALID_ARGUMENT, "xylem_comm_abort: comm is NULL");
    comm->communicator->abort();
    return XYLEM_SUCCESS;
  });
}

xylem_status xylem_comm_get_async_error(xylem_comm_t comm, xylem_status* error) {
  return guarded("xylem_comm_get_async_error", [&] {
    if (comm == nullptr || error == nullptr) {
      return fail(XYLEM_ERROR_INVALID_ARGUMENT, "xylem_comm_get_async_error: comm or error is NULL");
    }
    const xylem::Failure failure = comm->communicator->failure();
    *error = failure.status;
    if (failure.status != XYLEM_SUCCESS) fail(failure.status, failure.text);
    return XYLEM_SUCCESS;
  });
}

xylem_status xylem_comm_shrink(xylem_comm_t comm, xylem_comm_t* new_comm) {
  return guarded("xylem_comm_shrink", [&] {
    if (comm == nullptr || new_comm == nullptr) {
      return fail(XYLEM_ERROR_INVALID_ARGUMENT, "xylem_comm_shrink: comm or new_comm is NULL");
    }
    *new_comm = nullptr;
    *new_comm = new xylem_comm(comm->communicator->shrink());
    return XYLEM_SUCCESS;
  });
}

xylem_status xylem_comm_destroy(xylem_comm_t comm) {
  return guarded("xylem_comm_destroy", [&] {
    if (comm == nullptr) return XYLEM_SUCCESS;
    if (const xylem::api::Group* group = xylem::api::open_group(); group != nullptr && group->uses(*comm->communicator))
      return fail(XYLEM_ERROR_INVALID_ARGUMENT, "xylem_comm_destroy: calls on it are in a group that has not ended");
    const std::unique_ptr<xylem_comm> ended(comm);
    if (comm->communicator->of_another_process()) {
      // The sockets and the shared memory are the parent's as well, and its threads may have held any lock at the fork.
      static_cast<void>(comm->communicator.release());
    } else if (!comm->communicator->quiet()) {
      xylem::ProgressEngine::of_process().adopt(std::move(comm->communicator));
    }
    return XYLEM_SUCCESS;
  });
}

xylem_status xylem_comm_rank(xylem_comm_t comm, int* rank) {
  if (comm == nullptr || rank == nullptr) return fail(XYLEM_ERROR_INVALID_ARGUMENT, "xylem_comm_rank: comm or rank is NULL");
  *rank = static_cast<int>(comm->communicator->rank());
  return XYLEM_SUCCESS;
}

xylem_status xylem_comm_size(xylem_comm_t comm, int* size) {
  if (comm == nullptr || size == nullptr) return fail(XYLEM_ERROR_INVALID_ARGUMENT, "xylem_comm_size: comm or size is NULL");
  *size = static_cast<int>(comm->communicator->size());
  return XYLEM_SUCCESS;
}

xylem_status xylem_comm_check(xylem_comm_t comm) {
  return guarded("xylem_comm_check", [&] {
    if (comm == nullptr) return fail(XYLEM_ERROR_INVALID_ARGUMENT, "xylem_comm_check: comm is NULL");
    const xylem_status status = comm->communicator->check();
    return status == XYLEM_SUCCESS ? status : fail(status, comm->communicator->error());
  });
}

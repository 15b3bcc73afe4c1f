// How a nonblocking or persistent collective becomes a request of the program.
#pragma once

#include <mpi.h>

#include <memory>

#include "backend/communicators.hpp"
#include "backend/requests/collective_request.hpp"
#include "backend/requests/operation.hpp"

namespace xylem::preload {

// Starts a nonblocking operation; a persistent one is started by MPI_Start. `comm` is what find() or find_ready() gave;
// `runs_on` is what Xylem runs it on, or null where the MPI does. What fails at the start comes out when the program
// completes the request. Returns an MPI error code, of which the communicator's error handler has been told, where the MPI
// makes no request; *request is MPI_REQUEST_NULL then.
int submit(std::unique_ptr<Operation> operation, CollectiveRequest::Kind kind, const Communicator& comm,
           std::shared_ptr<xylem_comm> runs_on, MPI_Request* request);

}  // namespace xylem::preload

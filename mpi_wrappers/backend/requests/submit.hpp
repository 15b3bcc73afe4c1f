// How a nonblocking or persistent collective becomes a request of the program.
#pragma once

#include <mpi.h>

#include <memory>

#include "backend/communicators.hpp"
#include "backend/requests/operation.hpp"

namespace xylem::preload {

// The nonblocking form: starts the operation. `comm` is what find_ready() gave, and runs on Xylem. What fails in Xylem,
// also at the start, comes out when the program completes the request. Returns an MPI error code, of which the communicator's
// error handler has been told, where the MPI makes no request; *request is MPI_REQUEST_NULL then.
int submit(std::unique_ptr<Operation> operation, const Communicator& comm, MPI_Request* request);

// The persistent form: the operation is started by MPI_Start, and runs on `own`. Otherwise the same.
int make_persistent(std::unique_ptr<Operation> operation, const Communicator& comm, std::shared_ptr<xylem_comm> own,
                    MPI_Request* request);

}  // namespace xylem::preload

// How a failure of Xylem reaches the program: through the error handler of its communicator, as a failure of the MPI would.
#pragma once

#include <mpi.h>

#include "xylem/xylem.h"

namespace xylem::preload {

// An error code whose text is xylem_last_error(), which is logged; calls no handler. MPI_SUCCESS for XYLEM_SUCCESS.
int code_of(xylem_status status);

// Calls the communicator's error handler with that code. Returns the code.
int report(MPI_Comm comm, xylem_status status);

// The same for an error code that the MPI gave us. MPI_SUCCESS is none and calls nothing.
int report_code(MPI_Comm comm, int code);

}  // namespace xylem::preload

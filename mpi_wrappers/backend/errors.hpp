// How a failure of Xylem reaches the program: through the error handler of its communicator, as a failure of the MPI would.
//
// Handlers of the program's communicators are only ever read: one that is put away and back again is another one than before
// where it had not been set (MPICH's communicators then follow MPI_COMM_WORLD), or where another thread sets one meanwhile.
// Questions whose answer may be "no" are asked where the error goes to a communicator of our own (own_communicators.hpp).
#pragma once

#include <mpi.h>

#include "xylem/xylem.h"

namespace xylem::preload {

// What a step of a call came to: an error code of the MPI, where its functions refused, or a status of Xylem's.
struct Outcome {
  int code = MPI_SUCCESS;
  xylem_status status = XYLEM_SUCCESS;
  bool good() const { return code == MPI_SUCCESS && status == XYLEM_SUCCESS; }
};

// An error code whose text is xylem_last_error(), which is logged; calls no handler. MPI_SUCCESS for XYLEM_SUCCESS.
int code_of(xylem_status status);
int code_of(const Outcome& outcome);

// Calls the communicator's error handler with that code. Returns the code.
int report(MPI_Comm comm, xylem_status status);
int report(MPI_Comm comm, const Outcome& outcome);

// The same for an error code that the MPI gave us. MPI_SUCCESS is none, and MPI_COMM_NULL has no handler.
int report_code(MPI_Comm comm, int code);

// Whether that handler does not return. False for MPI_COMM_NULL.
bool ends_program(MPI_Comm comm);

// The text of a code, of the MPI's or ours.
int error_string(int code, char* text, int* length) noexcept;

}  // namespace xylem::preload

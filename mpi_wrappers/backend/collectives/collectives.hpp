// The collectives as the program calls them, in the table of jumps.
#pragma once

#include "front/contract.h"

namespace xylem::preload {

// Puts their wrappers into the table, by number, but for functions that this MPI does not have. Called once, before any of
// them is.
void take_over_collectives(xylem_mpi_function* wrapper);

}  // namespace xylem::preload

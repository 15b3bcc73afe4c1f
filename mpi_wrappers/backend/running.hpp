// When Xylem runs: from MPI_Init to MPI_Finalize, if all ranks can.
#pragma once

#include "front/contract.h"

namespace xylem::preload {

// Told once, before any of the wrappers is called.
void set_front(const xylem_mpi_front& front);

int init(int* argc, char*** argv) noexcept;
int init_thread(int* argc, char*** argv, int required, int* provided) noexcept;

}  // namespace xylem::preload

// When Xylem runs: from MPI_Init to MPI_Finalize, if all ranks can.
#pragma once

namespace xylem::preload {

int init(int* argc, char*** argv) noexcept;
int init_thread(int* argc, char*** argv, int required, int* provided) noexcept;

}  // namespace xylem::preload

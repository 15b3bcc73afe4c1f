// The function that makes a persistent collective: Open MPI 4 has it as an extension only.
#pragma once

#include <mpi.h>

#if defined(OPEN_MPI) && OMPI_MAJOR_VERSION < 5
#include <mpi-ext.h>
#define XYLEM_MPI_INIT(name) MPIX_##name##_init
#else
#define XYLEM_MPI_INIT(name) MPI_##name##_init
#endif

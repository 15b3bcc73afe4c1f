// Persistent collectives under one name: Open MPI 4 has them as an extension only.
#pragma once

#include <mpi.h>

#if defined(OPEN_MPI) && OMPI_MAJOR_VERSION < 5
#include <mpi-ext.h>
#define MPI_Allreduce_init MPIX_Allreduce_init
#define MPI_Barrier_init MPIX_Barrier_init
#endif

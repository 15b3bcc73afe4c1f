// Functions with counts of type MPI_Count, which the preload library offers also where the MPI does not have them.
#pragma once

#include <mpi.h>

#if defined(OPEN_MPI) && OMPI_MAJOR_VERSION < 6
// Weak, so that programs can be linked: as those do that look whether a function is there.
#define XYLEM_TEST_MAYBE extern "C" [[gnu::weak]] int
XYLEM_TEST_MAYBE MPI_Allgather_c(const void*, MPI_Count, MPI_Datatype, void*, MPI_Count, MPI_Datatype, MPI_Comm);
XYLEM_TEST_MAYBE MPI_Allgatherv_c(const void*, MPI_Count, MPI_Datatype, void*, const MPI_Count[], const MPI_Aint[],
                                  MPI_Datatype, MPI_Comm);
XYLEM_TEST_MAYBE MPI_Alltoall_c(const void*, MPI_Count, MPI_Datatype, void*, MPI_Count, MPI_Datatype, MPI_Comm);
XYLEM_TEST_MAYBE MPI_Alltoallv_c(const void*, const MPI_Count[], const MPI_Aint[], MPI_Datatype, void*, const MPI_Count[],
                                 const MPI_Aint[], MPI_Datatype, MPI_Comm);
XYLEM_TEST_MAYBE MPI_Alltoallw_c(const void*, const MPI_Count[], const MPI_Aint[], const MPI_Datatype[], void*,
                                 const MPI_Count[], const MPI_Aint[], const MPI_Datatype[], MPI_Comm);
XYLEM_TEST_MAYBE MPI_Bcast_c(void*, MPI_Count, MPI_Datatype, int, MPI_Comm);
XYLEM_TEST_MAYBE MPI_Gather_c(const void*, MPI_Count, MPI_Datatype, void*, MPI_Count, MPI_Datatype, int, MPI_Comm);
XYLEM_TEST_MAYBE MPI_Gatherv_c(const void*, MPI_Count, MPI_Datatype, void*, const MPI_Count[], const MPI_Aint[], MPI_Datatype,
                               int, MPI_Comm);
XYLEM_TEST_MAYBE MPI_Scatter_c(const void*, MPI_Count, MPI_Datatype, void*, MPI_Count, MPI_Datatype, int, MPI_Comm);
XYLEM_TEST_MAYBE MPI_Scatterv_c(const void*, const MPI_Count[], const MPI_Aint[], MPI_Datatype, void*, MPI_Count,
                                MPI_Datatype, int, MPI_Comm);
XYLEM_TEST_MAYBE MPI_Allreduce_c(const void*, void*, MPI_Count, MPI_Datatype, MPI_Op, MPI_Comm);
XYLEM_TEST_MAYBE MPI_Exscan_c(const void*, void*, MPI_Count, MPI_Datatype, MPI_Op, MPI_Comm);
XYLEM_TEST_MAYBE MPI_Reduce_c(const void*, void*, MPI_Count, MPI_Datatype, MPI_Op, int, MPI_Comm);
XYLEM_TEST_MAYBE MPI_Reduce_scatter_c(const void*, void*, const MPI_Count[], MPI_Datatype, MPI_Op, MPI_Comm);
XYLEM_TEST_MAYBE MPI_Reduce_scatter_block_c(const void*, void*, MPI_Count, MPI_Datatype, MPI_Op, MPI_Comm);
XYLEM_TEST_MAYBE MPI_Scan_c(const void*, void*, MPI_Count, MPI_Datatype, MPI_Op, MPI_Comm);

#undef XYLEM_TEST_MAYBE
#endif

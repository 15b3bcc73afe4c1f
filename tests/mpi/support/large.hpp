// Functions with counts of type MPI_Count, which the preload library offers also where the MPI does not have them.
#pragma once

#include <mpi.h>

#if defined(OPEN_MPI) && OMPI_MAJOR_VERSION < 6
// The forms of one collective. Weak, so that programs can be linked: as those do that look whether a function is there.
#define XYLEM_TEST_MAYBE(name, small_name, ...)                                  \
  extern "C" [[gnu::weak]] int MPI_##name##_c(__VA_ARGS__);                      \
  extern "C" [[gnu::weak]] int MPI_I##small_name##_c(__VA_ARGS__, MPI_Request*); \
  extern "C" [[gnu::weak]] int MPI_##name##_init_c(__VA_ARGS__, MPI_Info, MPI_Request*)
using Counts_c = const MPI_Count[];
using Places_c = const MPI_Aint[];
using Types_c = const MPI_Datatype[];
XYLEM_TEST_MAYBE(Allgather, allgather, const void*, MPI_Count, MPI_Datatype, void*, MPI_Count, MPI_Datatype, MPI_Comm);
XYLEM_TEST_MAYBE(Allgatherv, allgatherv, const void*, MPI_Count, MPI_Datatype, void*, Counts_c, Places_c, MPI_Datatype,
                 MPI_Comm);
XYLEM_TEST_MAYBE(Alltoall, alltoall, const void*, MPI_Count, MPI_Datatype, void*, MPI_Count, MPI_Datatype, MPI_Comm);
XYLEM_TEST_MAYBE(Alltoallv, alltoallv, const void*, Counts_c, Places_c, MPI_Datatype, void*, Counts_c, Places_c, MPI_Datatype,
                 MPI_Comm);
XYLEM_TEST_MAYBE(Alltoallw, alltoallw, const void*, Counts_c, Places_c, Types_c, void*, Counts_c, Places_c, Types_c,
                 MPI_Comm);
XYLEM_TEST_MAYBE(Bcast, bcast, void*, MPI_Count, MPI_Datatype, int, MPI_Comm);
XYLEM_TEST_MAYBE(Gather, gather, const void*, MPI_Count, MPI_Datatype, void*, MPI_Count, MPI_Datatype, int, MPI_Comm);
XYLEM_TEST_MAYBE(Gatherv, gatherv, const void*, MPI_Count, MPI_Datatype, void*, Counts_c, Places_c, MPI_Datatype, int,
                 MPI_Comm);
XYLEM_TEST_MAYBE(Scatter, scatter, const void*, MPI_Count, MPI_Datatype, void*, MPI_Count, MPI_Datatype, int, MPI_Comm);
XYLEM_TEST_MAYBE(Scatterv, scatterv, const void*, Counts_c, Places_c, MPI_Datatype, void*, MPI_Count, MPI_Datatype, int,
                 MPI_Comm);
XYLEM_TEST_MAYBE(Allreduce, allreduce, const void*, void*, MPI_Count, MPI_Datatype, MPI_Op, MPI_Comm);
XYLEM_TEST_MAYBE(Exscan, exscan, const void*, void*, MPI_Count, MPI_Datatype, MPI_Op, MPI_Comm);
XYLEM_TEST_MAYBE(Reduce, reduce, const void*, void*, MPI_Count, MPI_Datatype, MPI_Op, int, MPI_Comm);
XYLEM_TEST_MAYBE(Reduce_scatter, reduce_scatter, const void*, void*, Counts_c, MPI_Datatype, MPI_Op, MPI_Comm);
XYLEM_TEST_MAYBE(Reduce_scatter_block, reduce_scatter_block, const void*, void*, MPI_Count, MPI_Datatype, MPI_Op, MPI_Comm);
XYLEM_TEST_MAYBE(Scan, scan, const void*, void*, MPI_Count, MPI_Datatype, MPI_Op, MPI_Comm);
#undef XYLEM_TEST_MAYBE
#endif

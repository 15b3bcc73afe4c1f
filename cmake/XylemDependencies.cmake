# What the machine has. Nothing here is required to configure: what is missing leaves out a part, and XylemSummary says so.
#
#   PkgConfig::HWLOC        topology                       (target exists if found)
#   PkgConfig::LIBFABRIC    headers of the network layer   (the library itself is opened at run time)
#   mpi::mpich mpi::openmpi each MPI that was found, side by side: include directories and libraries for C and C++
#   XYLEM_MPIS              the names of these, such as "mpich;openmpi"
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(HWLOC QUIET IMPORTED_TARGET GLOBAL hwloc>=2.0)
pkg_check_modules(LIBFABRIC QUIET IMPORTED_TARGET GLOBAL libfabric>=1.14)

include(XylemMpi)
set(XYLEM_MPIS "")
xylem_find_mpi(mpich MPICH_VERSION)
xylem_find_mpi(openmpi OPEN_MPI)

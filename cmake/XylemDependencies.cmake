# What the machine has. Only Boost.Context is required; what else is missing leaves out a part, and XylemSummary says so.
#
#   PkgConfig::HWLOC        topology                       (target exists if found)
#   PkgConfig::LIBFABRIC    headers of the network layer   (the library itself is opened at run time)
#   xylem_boost_context     stack switching
#   xylem_cuda_headers      device buffers                 (cmake/XylemCuda.cmake)
#   mpi::mpich mpi::openmpi each MPI that was found, side by side: include directories and libraries for C and C++
#   XYLEM_MPIS              the names of these, such as "mpich;openmpi"
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
if(NOT hwloc IN_LIST XYLEM_WITHOUT)
  pkg_check_modules(HWLOC QUIET IMPORTED_TARGET GLOBAL hwloc>=2.0)
endif()
if(NOT libfabric IN_LIST XYLEM_WITHOUT)
  pkg_check_modules(LIBFABRIC QUIET IMPORTED_TARGET GLOBAL libfabric>=1.14)
endif()

include(XylemCuda)
include(XylemMpi)
set(XYLEM_MPIS "")
foreach(mpi IN ITEMS "mpich;MPICH_VERSION" "openmpi;OPEN_MPI")
  list(GET mpi 0 name)
  if(NOT name IN_LIST XYLEM_WITHOUT)
    xylem_find_mpi(${mpi})
  endif()
endforeach()

# Boost.Context switches the stacks of fibers. The static archive, so that users need no Boost.
find_path(XYLEM_BOOST_INCLUDE boost/context/detail/fcontext.hpp DOC "Folder that holds boost/")
find_library(XYLEM_BOOST_CONTEXT NAMES libboost_context.a boost_context DOC "Boost.Context")
if(NOT XYLEM_BOOST_INCLUDE OR NOT XYLEM_BOOST_CONTEXT)
  message(FATAL_ERROR "Boost.Context is missing (Debian: libboost-context-dev). Give XYLEM_BOOST_INCLUDE and XYLEM_BOOST_CONTEXT "
    "if it is in an unusual place.")
endif()
add_library(xylem_boost_context INTERFACE)
target_include_directories(xylem_boost_context SYSTEM INTERFACE "${XYLEM_BOOST_INCLUDE}")
target_link_libraries(xylem_boost_context INTERFACE "${XYLEM_BOOST_CONTEXT}")

# What a build can be asked for, and the flags that all targets share.
#
#   XYLEM_BUILD_TESTS         the tests are built and registered with CTest (default ON)
#   XYLEM_WARNINGS_AS_ERRORS  a compiler warning ends the build (default OFF; scripts/test.sh turns it on)
#   XYLEM_SANITIZE            empty, "address,undefined" or "thread": for all targets (the presets asan and tsan)
#   XYLEM_WITHOUT             parts to leave out though the machine has what they need: hwloc, libfabric, mpich, openmpi (a list)
#   XYLEM_MPICH_MPICC, XYLEM_OPENMPI_MPICC   the compiler wrapper of an MPI that is not on the PATH (cmake/XylemMpi.cmake)
option(XYLEM_BUILD_TESTS "Build the tests" ON)
option(XYLEM_WARNINGS_AS_ERRORS "Fail on compiler warnings" OFF)
set(XYLEM_SANITIZE "" CACHE STRING "Sanitizers for all targets: address,undefined or thread")
set(XYLEM_WITHOUT "" CACHE STRING "Parts to leave out: hwloc;libfabric;mpich;openmpi")
set(parts hwloc libfabric mpich openmpi)
foreach(part IN LISTS XYLEM_WITHOUT)
  if(NOT part IN_LIST parts)
    message(FATAL_ERROR "XYLEM_WITHOUT: there is no part ${part}; there are ${parts}")
  endif()
endforeach()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

# What users run lies in one known place: build/<preset>/bin and build/<preset>/lib.
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/archive")

# Products find each other by their own place, in the build folder and installed, so both can be moved.
set(CMAKE_INSTALL_LIBDIR lib CACHE PATH "Where libraries go, below the prefix")
include(GNUInstallDirs)
file(RELATIVE_PATH lib_from_bin "/prefix/${CMAKE_INSTALL_BINDIR}" "/prefix/${CMAKE_INSTALL_LIBDIR}")
set(CMAKE_INSTALL_RPATH "$ORIGIN" "$ORIGIN/${lib_from_bin}")
set(CMAKE_BUILD_RPATH_USE_ORIGIN ON)

find_program(XYLEM_CCACHE ccache)
if(XYLEM_CCACHE)
  set(CMAKE_C_COMPILER_LAUNCHER "${XYLEM_CCACHE}")
  set(CMAKE_CXX_COMPILER_LAUNCHER "${XYLEM_CCACHE}")
endif()

add_library(xylem_flags INTERFACE)
target_compile_options(xylem_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wcast-align -Wunused
  $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor -Woverloaded-virtual>
  $<$<BOOL:${XYLEM_WARNINGS_AS_ERRORS}>:-Werror>
  # Function names and lines for backtraces and profilers; costs no speed.
  $<$<CONFIG:Release>:-g1>
  $<$<CONFIG:Debug>:-D_GLIBCXX_ASSERTIONS>
  # Bits are the same on every path: no contraction into fused multiply-add.
  -ffp-contract=off)
if(XYLEM_SANITIZE)
  target_compile_options(xylem_flags INTERFACE -fsanitize=${XYLEM_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(xylem_flags INTERFACE -fsanitize=${XYLEM_SANITIZE})
endif()

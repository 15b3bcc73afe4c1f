# Programs of several ranks, built once for each MPI found and run under its mpirun with libxylem_mpi.so preloaded.
#
# xylem_mpi_program(<name> <source> [MPIS <names>])
#   Builds build/<preset>/tests/mpi/<name>.<mpi> for each MPI, or for those named. A source that ends in .f90 is compiled by the MPI's own Fortran
#   wrapper; where there is none, the program is left out.
#
# xylem_mpi_run(<name> PROGRAM <name> RANKS <numbers> [MANY <number>] [ARGUMENTS <words>] [OPTIONS <words for tests/mpi/run.py>]
#               [ON_XYLEM <collectives>] [HOSTS <number>] [ENVIRONMENT <NAME=VALUE>...] [MPIS <names>] [TIMEOUT <seconds>]
#               [LABELS <labels>])
#   One CTest case per MPI and number of ranks, mpi.<name>.<mpi>.<ranks>: it fails if the program does, if it hangs, if anything is
#   printed to stderr by Xylem, or if a call of the collectives ON_XYLEM was handed down.
#   MANY is one more number of ranks, more than cores; under Open MPI only, whose ranks yield while they wait. MPICH's spin until
#   the clock takes the core from them, so theirs is labelled long.
#   A program elsewhere in the tree is named by its path without the MPI's suffix. Default label: mpi.
#
# xylem_mpi_test(<name> <source> RANKS <numbers> ...)
#   Both of the above with one name; the program is built for the MPIS only, where these are given.
find_package(Python3 REQUIRED COMPONENTS Interpreter)

# Ranks are started by an mpirun that is not built with a sanitizer, and a preloaded library cannot bring one along.
set(XYLEM_MPI_TESTED "")
if(NOT XYLEM_SANITIZE)
  foreach(mpi IN LISTS XYLEM_MPIS)
    string(TOUPPER ${mpi} MPI)
    if(TARGET xylem_mpi_${mpi} AND XYLEM_${MPI}_MPIRUN)
      list(APPEND XYLEM_MPI_TESTED ${mpi})
    endif()
  endforeach()
endif()

# build/<preset>/tests/mpi/<name>.<mpi> from a source in C++ and mpi::<mpi>.
function(xylem_mpi_executable name mpi source)
  set(target mpi_test_${name}_${mpi})
  add_executable(${target} "${source}")
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/tests" "${PROJECT_SOURCE_DIR}/tests/mpi")
  target_compile_definitions(${target} PRIVATE MPICH_SKIP_MPICXX OMPI_SKIP_MPICXX)
  target_compile_options(${target} PRIVATE -O1)
  target_link_libraries(${target} PRIVATE xylem_flags mpi::${mpi} Threads::Threads)
  set_target_properties(${target} PROPERTIES
    OUTPUT_NAME ${name}.${mpi} RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests/mpi")
endfunction()

function(xylem_mpi_program name source)
  cmake_parse_arguments(ARG "" "" "MPIS" ${ARGN})
  set(source "${CMAKE_CURRENT_SOURCE_DIR}/${source}")
  foreach(mpi IN LISTS XYLEM_MPI_TESTED)
    if(ARG_MPIS AND NOT mpi IN_LIST ARG_MPIS)
      continue()
    endif()
    set(program "${PROJECT_BINARY_DIR}/tests/mpi/${name}.${mpi}")
    if(source MATCHES "\\.f90$")
      string(TOUPPER ${mpi} MPI)
      if(XYLEM_${MPI}_MPIFORT)
        # Fortran before 2018 has no way to pass any type to one procedure; mpif.h relies on compilers that do not mind.
        # Sources are preprocessed with the MPI's name in capitals defined.
        add_custom_command(OUTPUT "${program}"
          COMMAND "${XYLEM_${MPI}_MPIFORT}" -g -w -cpp -D${MPI} -fallow-argument-mismatch -o "${program}" "${source}"
          DEPENDS "${source}" COMMENT "Building ${name}.${mpi}" VERBATIM)
        add_custom_target(mpi_test_${name}_${mpi} ALL DEPENDS "${program}")
      endif()
    else()
      xylem_mpi_executable(${name} ${mpi} "${source}")
    endif()
  endforeach()
endfunction()

function(xylem_mpi_run name)
  cmake_parse_arguments(ARG "" "PROGRAM;TIMEOUT;HOSTS;MANY"
    "RANKS;ARGUMENTS;OPTIONS;ON_XYLEM;ENVIRONMENT;MPIS;LABELS" ${ARGN})
  if(ARG_UNPARSED_ARGUMENTS OR NOT ARG_PROGRAM OR NOT ARG_RANKS)
    message(FATAL_ERROR "xylem_mpi_run(${name}): wrong or missing arguments: ${ARG_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 60)
  endif()
  if(NOT ARG_LABELS)
    set(ARG_LABELS mpi)
  endif()
  if(NOT ARG_MPIS)
    set(ARG_MPIS ${XYLEM_MPI_TESTED})
  endif()
  if(NOT ARG_HOSTS)
    set(ARG_HOSTS 1)
  endif()
  if(NOT IS_ABSOLUTE "${ARG_PROGRAM}")
    set(ARG_PROGRAM "${PROJECT_BINARY_DIR}/tests/mpi/${ARG_PROGRAM}")
  endif()
  list(JOIN ARG_ON_XYLEM "," on_xylem)
  set(environment "")
  foreach(setting IN LISTS ARG_ENVIRONMENT)
    list(APPEND environment --env "${setting}")
  endforeach()

  foreach(mpi IN LISTS XYLEM_MPI_TESTED)
    string(TOUPPER ${mpi} MPI)
    if(NOT mpi IN_LIST ARG_MPIS OR (ARG_PROGRAM MATCHES "/fortran_" AND NOT XYLEM_${MPI}_MPIFORT))
      continue()
    endif()
    foreach(ranks IN LISTS ARG_RANKS ARG_MANY)
      set(labels "${ARG_LABELS}")
      if(ranks STREQUAL "${ARG_MANY}" AND mpi STREQUAL mpich AND openmpi IN_LIST ARG_MPIS)
        list(APPEND labels long)
      endif()
      set(test mpi.${name}.${mpi}.${ranks})
      add_test(NAME ${test}
        COMMAND Python3::Interpreter "${PROJECT_SOURCE_DIR}/tests/mpi/run.py"
          --mpi ${mpi} --mpirun "${XYLEM_${MPI}_MPIRUN}" --ranks ${ranks} --preload "$<TARGET_FILE:xylem_mpi>"
          --hosts ${ARG_HOSTS} --timeout ${ARG_TIMEOUT} "--on-xylem=${on_xylem}" ${environment} ${ARG_OPTIONS}
          -- "${ARG_PROGRAM}.${mpi}" ${ARG_ARGUMENTS})
      # run.py ends the job itself and says so; CTest's own limit is for the case that this fails.
      math(EXPR limit "${ARG_TIMEOUT} * 2 + 20")
      # Ranks that share a core with another test's are slow: a test of n ranks counts as n processors.
      set_tests_properties(${test} PROPERTIES TIMEOUT ${limit} LABELS "${labels}" PROCESSORS ${ranks}
        SKIP_RETURN_CODE 77)
    endforeach()
  endforeach()
endfunction()

function(xylem_mpi_test name source)
  cmake_parse_arguments(ARG "" "" "MPIS" ${ARGN})
  xylem_mpi_program(${name} ${source} MPIS ${ARG_MPIS})
  xylem_mpi_run(${name} PROGRAM ${name} ${ARGN})
endfunction()

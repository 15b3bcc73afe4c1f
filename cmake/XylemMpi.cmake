# xylem_find_mpi(<name> <macro>)
# Looks for one MPI by its compiler wrapper; <macro> is what its mpi.h defines, so that a plain `mpicc` is not taken for another
# MPI's. CMake's own FindMPI finds one MPI per build; Xylem serves several from one build.
# Makes, with NAME the name in capitals:
#   mpi::<name>             interface target for C and C++
#   XYLEM_<NAME>_MPICC      compiler wrappers and launcher of this MPI; -DXYLEM_MPICH_MPICC=/opt/mpich/bin/mpicc picks one by
#   XYLEM_<NAME>_MPIFORT    hand, the others are then looked for beside it
#   XYLEM_<NAME>_MPIRUN
# and appends the name to XYLEM_MPIS.
include(CheckCSourceCompiles)

function(xylem_find_mpi name macro)
  string(TOUPPER ${name} NAME)
  find_program(XYLEM_${NAME}_MPICC NAMES mpicc.${name} mpicc DOC "C compiler wrapper of ${name}")
  if(NOT XYLEM_${NAME}_MPICC)
    return()
  endif()
  get_filename_component(bin "${XYLEM_${NAME}_MPICC}" DIRECTORY)
  find_program(XYLEM_${NAME}_MPIFORT NAMES mpifort.${name} mpifort HINTS "${bin}" DOC "Fortran compiler wrapper of ${name}")
  find_program(XYLEM_${NAME}_MPIRUN NAMES mpirun.${name} mpirun HINTS "${bin}" DOC "Launcher of ${name}")

  # Both MPIs print the command line that the wrapper stands for.
  execute_process(COMMAND "${XYLEM_${NAME}_MPICC}" -show OUTPUT_VARIABLE command OUTPUT_STRIP_TRAILING_WHITESPACE
    RESULT_VARIABLE failed ERROR_QUIET)
  if(failed)
    return()
  endif()
  separate_arguments(words UNIX_COMMAND "${command}")
  set(includes "")
  set(links "")
  foreach(word IN LISTS words)
    if(word MATCHES "^-I(.+)")
      list(APPEND includes "${CMAKE_MATCH_1}")
    elseif(word MATCHES "^-(L|l|Wl,)")
      list(APPEND links "${word}")
    endif()
  endforeach()

  set(CMAKE_REQUIRED_INCLUDES "${includes}")
  set(CMAKE_REQUIRED_QUIET ON)
  check_c_source_compiles("#include <mpi.h>\n#ifndef ${macro}\n#error another MPI\n#endif\nint main(void) { return 0; }\n"
    XYLEM_HAVE_${NAME})
  if(NOT XYLEM_HAVE_${NAME})
    return()
  endif()

  add_library(mpi::${name} INTERFACE IMPORTED GLOBAL)
  target_include_directories(mpi::${name} INTERFACE ${includes})
  target_link_libraries(mpi::${name} INTERFACE ${links})
  set(XYLEM_MPIS ${XYLEM_MPIS} ${name} PARENT_SCOPE)
endfunction()

# What `cmake --install` puts where, and how other projects find it: find_package(xylem) and pkg-config. The result can be
# moved as a whole: nothing in it holds the prefix.
include(CMakePackageConfigHelpers)
if(NOT TARGET xylem)
  return()
endif()
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/xylem")

install(TARGETS xylem EXPORT xylem-targets
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
  FILE_SET HEADERS DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(EXPORT xylem-targets NAMESPACE xylem:: DESTINATION "${package_dir}")

# The preload library, its back ends beside it in a folder of their own, and the tool: nobody links them, so they are not
# exported.
foreach(target IN ITEMS xylem_mpi xylem_mpi_standard xylem_mpi_mpich xylem_mpi_openmpi xylem_tool)
  if(TARGET ${target})
    get_target_property(folder ${target} LIBRARY_OUTPUT_DIRECTORY)
    file(RELATIVE_PATH below_lib "${CMAKE_LIBRARY_OUTPUT_DIRECTORY}" "${folder}")
    install(TARGETS ${target}
      LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}/${below_lib}"
      RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
  endif()
endforeach()

# Batch scripts for users to start from.
file(GLOB batch_scripts "${PROJECT_SOURCE_DIR}/scripts/slurm/*.sbatch")
install(PROGRAMS ${batch_scripts} DESTINATION "${CMAKE_INSTALL_DATADIR}/xylem/slurm")

configure_package_config_file("${CMAKE_CURRENT_LIST_DIR}/xylem-config.cmake.in" "${PROJECT_BINARY_DIR}/xylem-config.cmake"
  INSTALL_DESTINATION "${package_dir}" NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/xylem-config-version.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/xylem-config.cmake" "${PROJECT_BINARY_DIR}/xylem-config-version.cmake"
  DESTINATION "${package_dir}")

# xylem.pc names its directories relative to itself.
set(pkgconfig_dir "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
file(RELATIVE_PATH prefix_from_pc "/prefix/${pkgconfig_dir}" "/prefix")
configure_file("${CMAKE_CURRENT_LIST_DIR}/xylem.pc.in" "${PROJECT_BINARY_DIR}/xylem.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/xylem.pc" DESTINATION "${pkgconfig_dir}")

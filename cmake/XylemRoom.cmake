# xylem_room(<name> SOURCES <files> [NEEDS <rooms>] [PRIVATE <targets>])
# One object library per folder of src/. NEEDS names the rooms below that this one includes; the test layers.includes holds the
# sources to it. PRIVATE is what only its own sources see (hwloc, libfabric headers, ...).
function(xylem_room name)
  cmake_parse_arguments(ARG "" "" "SOURCES;NEEDS;PRIVATE" ${ARGN})
  add_library(xylem_${name} OBJECT ${ARG_SOURCES})
  target_include_directories(xylem_${name} PUBLIC "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/include")
  target_link_libraries(xylem_${name} PRIVATE xylem_flags ${ARG_PRIVATE})
  set_property(GLOBAL APPEND PROPERTY XYLEM_ROOMS ${name})
endfunction()

# What is linked from the rooms: libxylem.so for users, and the archive xylem_core in which tests see every symbol.
get_property(rooms GLOBAL PROPERTY XYLEM_ROOMS)
set(room_targets ${rooms})
list(TRANSFORM room_targets PREPEND xylem_)
if(NOT rooms)
  return()
endif()

# Linking an object library takes its objects and, for the final link only, what it needs privately.
add_library(xylem_core STATIC)
target_include_directories(xylem_core PUBLIC "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/include")
target_link_libraries(xylem_core PRIVATE xylem_flags ${room_targets} PUBLIC Threads::Threads ${CMAKE_DL_LIBS})

set(export_map "${CMAKE_CURRENT_LIST_DIR}/xylem.map")
file(GLOB public_headers CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/include/xylem/*.h")
add_library(xylem SHARED)
add_library(xylem::xylem ALIAS xylem)
target_sources(xylem
  PUBLIC FILE_SET HEADERS BASE_DIRS "${PROJECT_SOURCE_DIR}/include" FILES ${public_headers})
target_link_libraries(xylem PRIVATE xylem_flags ${room_targets} Threads::Threads ${CMAKE_DL_LIBS})
# -z defs: a symbol that nothing defines is an error here and not in the user's program.
target_link_options(xylem PRIVATE "LINKER:--version-script=${export_map}" "LINKER:--gc-sections")
if(XYLEM_SANITIZE)
  # The sanitizers' run-time library wraps operator new and the C++ ABI of a shared libstdc++ and leaves its symbols undefined.
else()
  target_link_options(xylem PRIVATE -static-libstdc++ -static-libgcc "LINKER:-z,defs")
endif()
set_target_properties(xylem PROPERTIES
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR} LINKER_LANGUAGE CXX
  LINK_DEPENDS "${export_map}")

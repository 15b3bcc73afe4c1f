# xylem_unit_test(<name> SOURCES <files> [LIBRARIES <targets>] [TIMEOUT <seconds>] [LABELS <labels>] [LONG <filter>])
# A GoogleTest executable that sees every room from inside: it links xylem_core, the static archive of all rooms.
# It is one CTest case: starting a process costs more than most cases do, much more with a sanitizer. TIMEOUT (default 60) is for
# the whole; after it what the executable printed is shown, and its last line names the case that hangs. Default label: unit.
# Cases that match LONG, a filter of GoogleTest's, are another CTest case, <name>.long with the label long.
# The target unit_tests builds those that sanitizer presets run: labelled unit or ranks.
find_package(GTest REQUIRED)

add_custom_target(unit_tests)

# What is tested is optimised; the tests themselves are built to be built quickly.
if(XYLEM_SANITIZE)
  set(XYLEM_TEST_OPTIMISATION -O0)
else()
  set(XYLEM_TEST_OPTIMISATION $<$<CONFIG:Release>:-O1>)
endif()

function(xylem_unit_test name)
  cmake_parse_arguments(ARG "" "TIMEOUT;LONG" "SOURCES;LIBRARIES;LABELS" ${ARGN})
  if(ARG_UNPARSED_ARGUMENTS OR NOT ARG_SOURCES)
    message(FATAL_ERROR "xylem_unit_test(${name}): wrong or missing arguments: ${ARG_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 60)
  endif()
  if(NOT ARG_LABELS)
    set(ARG_LABELS unit)
  endif()

  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE xylem_flags xylem_core GTest::gmock_main ${ARG_LIBRARIES})
  target_compile_options(${name} PRIVATE ${XYLEM_TEST_OPTIMISATION})
  if(ARG_LABELS MATCHES "unit|ranks")
    add_dependencies(unit_tests ${name})
  endif()
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests")

  set(filter "")
  if(ARG_LONG)
    set(filter "--gtest_filter=-${ARG_LONG}")
    add_test(NAME ${name}.long COMMAND ${name} "--gtest_filter=${ARG_LONG}")
    set_tests_properties(${name}.long PROPERTIES TIMEOUT 1200 LABELS long)
  endif()
  add_test(NAME ${name} COMMAND ${name} ${filter})
  # The longest begin first, so that none is left to run alone.
  set_tests_properties(${name} PROPERTIES TIMEOUT ${ARG_TIMEOUT} COST ${ARG_TIMEOUT} LABELS "${ARG_LABELS}")
endfunction()

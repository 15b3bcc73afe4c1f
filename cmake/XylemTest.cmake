# xylem_unit_test(<name> SOURCES <files> [LIBRARIES <targets>] [TIMEOUT <seconds>] [LABELS <labels>] [ONE_TEST]
#                 [LONG <filter>])
# A GoogleTest executable that sees every room from inside: it links xylem_core, the static archive of all rooms.
# Each GoogleTest case is one CTest case, so that a hang is reported with the case's name; TIMEOUT (default 60) is for one case.
# ONE_TEST makes one CTest case of the whole executable: for large parameter spaces, where starting a process costs more than
# a case does. Default label: unit. The target unit_tests builds those that sanitizer presets run: labelled unit or ranks.
# Cases that match LONG, a filter of GoogleTest's, are one more CTest case <name>.long with the label long.
find_package(GTest REQUIRED)
include(GoogleTest)

add_custom_target(unit_tests)

# What is tested is optimised; the tests themselves are built to be built quickly.
if(XYLEM_SANITIZE)
  set(XYLEM_TEST_OPTIMISATION -O0)
else()
  set(XYLEM_TEST_OPTIMISATION $<$<CONFIG:Release>:-O1>)
endif()

function(xylem_unit_test name)
  cmake_parse_arguments(ARG "ONE_TEST" "TIMEOUT;LONG" "SOURCES;LIBRARIES;LABELS" ${ARGN})
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

  if(ARG_ONE_TEST)
    add_test(NAME ${name} COMMAND ${name})
    set_tests_properties(${name} PROPERTIES TIMEOUT ${ARG_TIMEOUT} LABELS "${ARG_LABELS}")
  else()
    # Cases are listed when ctest starts, not while building: a sanitizer's or a program's crash is then a failed test.
    if(ARG_LONG)
      add_test(NAME ${name}.long COMMAND ${name} --gtest_filter=${ARG_LONG})
      set_tests_properties(${name}.long PROPERTIES TIMEOUT 1200 LABELS long)
    endif()
    gtest_discover_tests(${name} TEST_PREFIX "${name}." TEST_FILTER "-${ARG_LONG}" DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
      PROPERTIES TIMEOUT ${ARG_TIMEOUT} LABELS "${ARG_LABELS}")
  endif()
endfunction()

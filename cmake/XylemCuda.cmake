# The CUDA toolkit. Nothing of it is linked: the driver's library is opened at run time, on machines that have it.
#
#   xylem_cuda_headers   target with cuda.h (exists if found): needed for device buffers
#   XYLEM_NVCC           the compiler of the kernels
#   XYLEM_NVCC_VERSION   its version; empty if there is none that can: device buffers are then copied through host memory
find_program(XYLEM_NVCC nvcc HINTS /usr/local/cuda/bin /opt/cuda/bin DOC "Compiler of the CUDA kernels")
set(cuda_hints /usr/local/cuda/include /opt/cuda/include)
if(XYLEM_NVCC)
  file(REAL_PATH "${XYLEM_NVCC}" nvcc)
  get_filename_component(cuda_bin "${nvcc}" DIRECTORY)
  list(PREPEND cuda_hints "${cuda_bin}/../include")
endif()
find_path(XYLEM_CUDA_INCLUDE cuda.h HINTS ${cuda_hints} DOC "Folder that holds cuda.h")

set(XYLEM_CUDA_VERSION "")
if(XYLEM_CUDA_INCLUDE)
  file(STRINGS "${XYLEM_CUDA_INCLUDE}/cuda.h" line REGEX "^#define CUDA_VERSION [0-9]+")
  string(REGEX MATCH "[0-9]+" number "${line}")
  math(EXPR major "${number} / 1000")
  math(EXPR minor "${number} % 1000 / 10")
  set(XYLEM_CUDA_VERSION "${major}.${minor}")
  add_library(xylem_cuda_headers INTERFACE)
  target_include_directories(xylem_cuda_headers SYSTEM INTERFACE "${XYLEM_CUDA_INCLUDE}")
endif()

# 12.8 is the first that knows all architectures, and atomics without a header.
set(XYLEM_NVCC_VERSION "")
if(XYLEM_NVCC)
  execute_process(COMMAND "${XYLEM_NVCC}" --version OUTPUT_VARIABLE text ERROR_QUIET)
  if(text MATCHES "release ([0-9]+\\.[0-9]+)" AND CMAKE_MATCH_1 VERSION_GREATER_EQUAL 12.8)
    set(XYLEM_NVCC_VERSION "${CMAKE_MATCH_1}")
  endif()
endif()

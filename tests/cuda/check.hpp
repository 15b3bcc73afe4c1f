// Ends the process where a call failed that is no matter of the test.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdio>
#include <cstdlib>

namespace xylem::test {

inline void check(cudaError_t code, const char* what) {
  if (code == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(code));
  std::_Exit(1);
}

}  // namespace xylem::test

// Work that holds a CUDA stream until the host lets it go.
#pragma once

#include <cuda_runtime_api.h>
#include <sched.h>

#include <atomic>

#include "check.hpp"

namespace xylem::test {

struct Gate {
  std::atomic<bool> open{false};

  void put_in(cudaStream_t stream) {
    check(cudaLaunchHostFunc(
              stream,
              [](void* gate) {
                while (!static_cast<Gate*>(gate)->open) sched_yield();
              },
              this),
          "cudaLaunchHostFunc");
  }
};

}  // namespace xylem::test

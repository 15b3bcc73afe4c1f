// What the buffers of a call that was started wait for: the work that the program's streams had by then. The call reads
// device memory when that is done, and no thread waits for it meanwhile.
#pragma once

#include <vector>

#include "cuda/event.hpp"
#include "xylem/xylem.h"

namespace xylem {

class Arrivals {
 public:
  // The work that `stream` has so far; without one, where a GPU may be at work on the buffer, that of the legacy default
  // stream. Throws Error.
  void add(const void* buffer, xylem_stream_t stream);

  // All of it is done. Throws Error where it failed.
  bool passed() const;

 private:
  struct Work {
    xylem_stream_t stream;
    CUctx_st* context;
    cuda::Event event;
  };
  std::vector<Work> work_;
};

}  // namespace xylem

// Which CUDA context the driver works in. Contexts are the program's: one is taken from the memory that is worked on, none is
// made, and the program's current one is the same afterwards.
#pragma once

#include "cuda/driver.hpp"
#include "cuda/memory.hpp"

namespace xylem::cuda {

// Makes the context of `memory` current while it lives; where that is unknown (memory of a pool), the current one if it is on
// the same device, else the device's primary context, which the program has then. Memory of no device takes the current one.
// Calls in it are not mistaken for calls that a stream capture of the program would have to refuse.
class ContextScope {
 public:
  // Throws Error.
  ContextScope(const Driver& driver, const Memory& memory);
  ~ContextScope();
  ContextScope(const ContextScope&) = delete;
  ContextScope& operator=(const ContextScope&) = delete;

 private:
  void enter(CUcontext context);

  const Driver& driver_;
  bool pushed_ = false;
  int retained_ = -1;  // a device whose primary context is held
  CUstreamCaptureMode capture_mode_ = CU_STREAM_CAPTURE_MODE_RELAXED;
};

// Makes some context of the process current while it lives, where one is there: enough to ask about memory.
class AnyContextScope {
 public:
  explicit AnyContextScope(const Driver& driver);
  ~AnyContextScope();
  AnyContextScope(const AnyContextScope&) = delete;
  AnyContextScope& operator=(const AnyContextScope&) = delete;

 private:
  const Driver& driver_;
  int retained_ = -1;
};

}  // namespace xylem::cuda

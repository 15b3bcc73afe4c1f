// Which CUDA context the driver works in. Contexts are the program's: one is taken from the memory that is worked on, none is
// made, and the program's current one is the same afterwards.
#pragma once

#include <compare>

#include "cuda/driver.hpp"
#include "cuda/memory.hpp"

namespace xylem::cuda {

// What an object that outlives its call keeps of the memory that it is made near: the context that is current in a
// ContextScope of `near`, and which of the contexts that may come to lie at this address it is. A program may reset its
// device: all that was in the context has gone then, and handles and addresses of it may stand for something else.
Memory kept(const Driver& driver, const Memory& near);

// Whether the context of what kept() gave is still there. Drivers before CUDA 12.0 do not tell, and it is taken to be.
bool lives(const Driver& driver, const Memory& kept);

// What is kept for a context is found by this.
struct ContextKey {
  explicit ContextKey(const Memory& kept) : context(kept.context), id(kept.context_id) {}
  // clang-tidy takes the zero that the compiler compares with for a pointer.
  auto operator<=>(const ContextKey&) const = default;  // NOLINT(modernize-use-nullptr)

  CUcontext context;
  std::uint64_t id;
};

// Makes the context of `memory` current while it lives; where that is unknown (memory of a pool), the current one if it is on
// the same device, else the device's primary context, which the program has then. Memory of no device takes the current one.
// Calls in it are not mistaken for calls that a stream capture of the program would have to refuse.
class ContextScope {
 public:
  // Throws Error, where the context has ended, too.
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

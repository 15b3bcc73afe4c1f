// A second stack for a CPU thread: what lets the two halves of a split Team run "at the same time" on one thread. A half that
// would wait switches to the other. On a fiber runs src/exec/ code only: no user function, no MPI, no thread_local.
#pragma once

#include <cstddef>

namespace xylem::exec {

class Fiber {
 public:
  Fiber() = default;
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  // Starts `function(argument)` on the fiber's stack and returns when it switches or ends. Only when not running().
  // Throws std::bad_alloc when no stack can be had (only in the first call).
  void start(void (*function)(void*), void* argument);

  // From the thread: goes on with the fiber until it switches or ends. From the fiber: goes on with the thread.
  void switch_over();

  // The function has been started and has not ended.
  bool running() const { return running_; }

 private:
  static constexpr std::size_t kStackBytes = 64 * 1024;

  void jump_in();
  void jump_out(bool last);

  void* stack_ = nullptr;    // a mapping with a guard page at its low end
  void* context_ = nullptr;  // of the side that does not run now
  void (*function_)(void*) = nullptr;
  void* argument_ = nullptr;
  bool running_ = false;
  bool inside_ = false;  // the fiber runs now, not the thread

  // What sanitizers want to know of stacks; unused without them.
  void* sanitizer_fiber_ = nullptr;
  void* sanitizer_thread_ = nullptr;
  void* sanitizer_fake_stack_ = nullptr;
  const void* thread_stack_ = nullptr;
  std::size_t thread_stack_bytes_ = 0;

  friend struct FiberTrampoline;
};

}  // namespace xylem::exec

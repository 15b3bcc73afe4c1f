// A second stack: what lets the two halves of a split Team run "at the same time" on one thread, and a nonblocking call wait
// without keeping a thread. Who would wait switches over. No user function runs on a fiber, no MPI, and nothing that keeps a
// thread_local across a wait: another thread may go on with it than the one it was left by, if the two are ordered by a lock.
#pragma once

#include <cstddef>

namespace xylem::exec {

class Fiber {
 public:
  Fiber() = default;
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  // Makes the stack, unless there is one. Throws std::bad_alloc.
  void reserve(std::size_t bytes = kStackBytes);

  // Starts `function(argument)` on the fiber's stack and returns when it switches or ends. Only when not running(). Throws as
  // reserve() does.
  void start(void (*function)(void*), void* argument);

  // From outside: goes on with the fiber until it switches or ends. From the fiber: goes on with who went on with it last.
  void switch_over();

  // The function has been started and has not ended.
  bool running() const { return running_; }
  // It is the fiber that runs now, and not who started it.
  bool inside() const { return inside_; }

  // Connecting to a rank at first use happens on it too, and so does what a network provider calls for that.
  static constexpr std::size_t kStackBytes = std::size_t{128} * 1024;

 private:
  void jump_in();
  void jump_out(bool last);

  void* stack_ = nullptr;  // a mapping with a guard page at its low end
  std::size_t stack_bytes_ = 0;
  void* context_ = nullptr;  // of the side that does not run now
  void (*function_)(void*) = nullptr;
  void* argument_ = nullptr;
  bool running_ = false;
  bool inside_ = false;

  // What sanitizers want to know of stacks; unused without them.
  void* sanitizer_fiber_ = nullptr;
  void* sanitizer_thread_ = nullptr;
  void* sanitizer_fake_stack_ = nullptr;
  const void* thread_stack_ = nullptr;
  std::size_t thread_stack_bytes_ = 0;

  friend struct FiberTrampoline;
};

}  // namespace xylem::exec

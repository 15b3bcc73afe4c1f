#include "exec/fiber.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <boost/context/detail/fcontext.hpp>
#include <new>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif
#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

namespace xylem::exec {

namespace context = boost::context::detail;

namespace {

std::size_t guard_bytes() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

}  // namespace

// The first frame on a fiber's stack.
struct FiberTrampoline {
  [[noreturn]] static void run(context::transfer_t from) {
    Fiber& fiber = *static_cast<Fiber*>(from.data);
    fiber.context_ = from.fctx;
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(nullptr, &fiber.thread_stack_, &fiber.thread_stack_bytes_);
#endif
    fiber.function_(fiber.argument_);
    fiber.running_ = false;
    fiber.jump_out(true);
    __builtin_unreachable();
  }
};

Fiber::~Fiber() {
#if defined(__SANITIZE_THREAD__)
  if (sanitizer_fiber_ != nullptr) __tsan_destroy_fiber(sanitizer_fiber_);
#endif
  if (stack_ == nullptr) return;
#if defined(__SANITIZE_ADDRESS__)
  // The first frame never returns: its marks must not be taken for those of what will be mapped here next.
  ASAN_UNPOISON_MEMORY_REGION(stack_, guard_bytes() + stack_bytes_);
#endif
  munmap(stack_, guard_bytes() + stack_bytes_);
}

void Fiber::reserve(std::size_t bytes) {
  if (stack_ != nullptr) return;
  void* stack = mmap(nullptr, guard_bytes() + bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (stack == MAP_FAILED) throw std::bad_alloc();
  mprotect(stack, guard_bytes(), PROT_NONE);
  stack_ = stack;
  stack_bytes_ = bytes;
#if defined(__SANITIZE_THREAD__)
  sanitizer_fiber_ = __tsan_create_fiber(0);
#endif
}

void Fiber::start(void (*function)(void*), void* argument) {
  reserve();
  function_ = function;
  argument_ = argument;
  running_ = true;
  std::byte* top = static_cast<std::byte*>(stack_) + guard_bytes() + stack_bytes_;
  context_ = context::make_fcontext(top, stack_bytes_, &FiberTrampoline::run);
  jump_in();
}

void Fiber::switch_over() {
  if (inside_) {
    jump_out(false);
  } else {
    jump_in();
  }
}

void Fiber::jump_in() {
  inside_ = true;
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_start_switch_fiber(&sanitizer_thread_, static_cast<std::byte*>(stack_) + guard_bytes(), stack_bytes_);
#endif
#if defined(__SANITIZE_THREAD__)
  sanitizer_thread_ = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(sanitizer_fiber_, 0);
#endif
  context_ = context::jump_fcontext(context_, this).fctx;
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(sanitizer_thread_, nullptr, nullptr);
#endif
  inside_ = false;
}

void Fiber::jump_out([[maybe_unused]] bool last) {
#if defined(__SANITIZE_ADDRESS__)
  // A null first argument frees the fiber's fake stack: it will not come back here.
  __sanitizer_start_switch_fiber(last ? nullptr : &sanitizer_fake_stack_, thread_stack_, thread_stack_bytes_);
#endif
#if defined(__SANITIZE_THREAD__)
  __tsan_switch_to_fiber(sanitizer_thread_, 0);
#endif
  context_ = context::jump_fcontext(context_, nullptr).fctx;
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(sanitizer_fake_stack_, &thread_stack_, &thread_stack_bytes_);
#endif
}

}  // namespace xylem::exec

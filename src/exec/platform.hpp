// The few things that differ between a CPU and a CUDA compiler. The one header of src/exec/ that knows CUDA exists.
#pragma once

#include <cstddef>
#include <cstdint>

// A CUDA compiler sees these headers for the sake of kernels only (src/cuda/kernels/): their host side is compiled by the
// host's own compiler.
#if defined(__CUDACC__)
#define XYLEM_HD __device__
// A kernel holds it once and calls it: an algorithm's steps inlined would take minutes to compile, and more registers than
// there are. Where a call costs more than it saves, on a CPU, the compiler decides.
#define XYLEM_HD_CALLED [[gnu::noinline]] __device__
#else
#include <atomic>
#define XYLEM_HD
#define XYLEM_HD_CALLED
#endif

namespace xylem::exec {

// Words that another rank, process or device writes are only touched through these two.
#if defined(__CUDACC__)
// The compiler's own functions: <cuda/atomic> makes the same instructions, but takes seconds to read for each architecture.
template <class T>
__device__ T load_acquire(const T& word) {
  return __nv_atomic_load_n(const_cast<T*>(&word), __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_SYSTEM);
}
template <class T>
__device__ void store_release(T& word, T value) {
  __nv_atomic_store_n(&word, value, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_SYSTEM);
}
#else
template <class T>
T load_acquire(const T& word) {
  return std::atomic_ref<T>(const_cast<T&>(word)).load(std::memory_order_acquire);
}
template <class T>
void store_release(T& word, T value) {
  std::atomic_ref<T>(word).store(value, std::memory_order_release);
}
#endif

inline constexpr std::size_t kCacheLine = 64;

// Soon this line will be written: brings it to this core alone, while there is something else to wait for. A hint: where the
// CPU has no such instruction, nothing happens.
#if defined(__CUDACC__)
__device__ inline void prefetch_for_write(const void*) {}
#elif defined(__x86_64__)
// __builtin_prefetch makes a prefetch for reading of it, unless the compiler is told of newer CPUs.
inline void prefetch_for_write(const void* line) { asm volatile("prefetchw %0" : : "m"(*static_cast<const char*>(line))); }
#else
inline void prefetch_for_write(const void* line) { __builtin_prefetch(line, 1); }
#endif

}  // namespace xylem::exec

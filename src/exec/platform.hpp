// The few things that differ between a CPU and a CUDA compiler. The one header of src/exec/ that knows CUDA exists.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__CUDACC__)
#include <cuda/atomic>
#define XYLEM_HD __host__ __device__
#else
#include <atomic>
#define XYLEM_HD
#endif

namespace xylem::exec {

#if defined(__CUDACC__)
template <class T>
using SystemAtomic = cuda::atomic_ref<T, cuda::thread_scope_system>;
inline constexpr auto kAcquire = cuda::memory_order_acquire;
inline constexpr auto kRelease = cuda::memory_order_release;
#else
template <class T>
using SystemAtomic = std::atomic_ref<T>;
inline constexpr auto kAcquire = std::memory_order_acquire;
inline constexpr auto kRelease = std::memory_order_release;
#endif

// Words that another rank, process or device writes are only touched through these two.
template <class T>
XYLEM_HD T load_acquire(const T& word) {
  return SystemAtomic<T>(const_cast<T&>(word)).load(kAcquire);
}
template <class T>
XYLEM_HD void store_release(T& word, T value) {
  SystemAtomic<T>(word).store(value, kRelease);
}

inline constexpr std::size_t kCacheLine = 64;

}  // namespace xylem::exec

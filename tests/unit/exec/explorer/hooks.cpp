// What a compiler calls in sources built with -fsanitize=thread: each access of memory comes here before it is done, each
// atomic one in its place. Stands in for the sanitizer's own library, which is not linked. And what exec/waiter.cpp calls of
// the system in a wait; other callers get what they ask for.
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <ctime>

#include "explorer.hpp"

namespace {

using xylem::explorer::Explorer;

void plain(void* address, std::size_t size, bool write) {
  if (Explorer* explorer = Explorer::of(address)) explorer->plain(address, size, write);
}

bool acquires(int order) { return order != static_cast<int>(std::memory_order_relaxed); }
bool releases(int order) { return order != static_cast<int>(std::memory_order_relaxed); }

template <class T>
T load(const volatile T* word, int order) {
  T* const address = const_cast<T*>(word);
  if (Explorer* explorer = Explorer::of(address)) {
    return static_cast<T>(explorer->load(address, sizeof(T), acquires(order)));
  }
  return std::atomic_ref<T>(*address).load();
}

template <class T>
void store(volatile T* word, T value, int order) {
  T* const address = const_cast<T*>(word);
  if (Explorer* explorer = Explorer::of(address)) return explorer->store(address, sizeof(T), value, releases(order));
  std::atomic_ref<T>(*address).store(value);
}

// How far a clock in the explorer is ahead of the real one.
std::int64_t seconds_ahead = 0;

}  // namespace

// NOLINTBEGIN(bugprone-reserved-identifier): the names are the compiler's.
extern "C" {

void __tsan_init();
void __tsan_func_entry(void*);
void __tsan_func_exit(void*);
void __tsan_vptr_update(void**, void*);
void __tsan_vptr_read(void**);
void __tsan_read1(void*);
void __tsan_read2(void*);
void __tsan_read4(void*);
void __tsan_read8(void*);
void __tsan_read16(void*);
void __tsan_write1(void*);
void __tsan_write2(void*);
void __tsan_write4(void*);
void __tsan_write8(void*);
void __tsan_write16(void*);
void __tsan_read_range(void*, std::size_t);
void __tsan_write_range(void*, std::size_t);
std::uint32_t __tsan_atomic32_load(const volatile std::uint32_t*, int);
std::uint64_t __tsan_atomic64_load(const volatile std::uint64_t*, int);
void __tsan_atomic32_store(volatile std::uint32_t*, std::uint32_t, int);
void __tsan_atomic64_store(volatile std::uint64_t*, std::uint64_t, int);

void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit(void*) {}
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}
void __tsan_read1(void* address) { plain(address, 1, false); }
void __tsan_read2(void* address) { plain(address, 2, false); }
void __tsan_read4(void* address) { plain(address, 4, false); }
void __tsan_read8(void* address) { plain(address, 8, false); }
void __tsan_read16(void* address) { plain(address, 16, false); }
void __tsan_write1(void* address) { plain(address, 1, true); }
void __tsan_write2(void* address) { plain(address, 2, true); }
void __tsan_write4(void* address) { plain(address, 4, true); }
void __tsan_write8(void* address) { plain(address, 8, true); }
void __tsan_write16(void* address) { plain(address, 16, true); }
void __tsan_read_range(void* address, std::size_t size) { plain(address, size, false); }
void __tsan_write_range(void* address, std::size_t size) { plain(address, size, true); }
std::uint32_t __tsan_atomic32_load(const volatile std::uint32_t* word, int order) { return load(word, order); }
std::uint64_t __tsan_atomic64_load(const volatile std::uint64_t* word, int order) { return load(word, order); }
void __tsan_atomic32_store(volatile std::uint32_t* word, std::uint32_t value, int order) { store(word, value, order); }
void __tsan_atomic64_store(volatile std::uint64_t* word, std::uint64_t value, int order) { store(word, value, order); }

// A yield takes so long that a waiter naps from then on.
int sched_yield() {
  if (!Explorer::exploring()) return static_cast<int>(syscall(SYS_sched_yield));
  ++seconds_ahead;
  return 0;
}
int nanosleep(const timespec* wanted, timespec* left) {
  if (!Explorer::exploring()) return static_cast<int>(syscall(SYS_nanosleep, wanted, left));
  Explorer::nap();
  return 0;
}
int clock_gettime(clockid_t clock, timespec* now) {
  const auto result = static_cast<int>(syscall(SYS_clock_gettime, clock, now));
  if (Explorer::exploring()) now->tv_sec += seconds_ahead;
  return result;
}
}
// NOLINTEND(bugprone-reserved-identifier)

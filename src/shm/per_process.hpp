// The one T of this process, made at first use and never destroyed (ranks may be torn down by static destructors). A forked
// child that uses Xylem gets a T of its own: the parent's memory is not mapped there.
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <mutex>

namespace xylem::shm {

template <class T>
T& per_process() {
  static std::mutex mutex;
  static T* instance = nullptr;
  static pid_t owner = 0;
  const std::lock_guard lock(mutex);
  if (owner != getpid()) {
    instance = new T;
    owner = getpid();
  }
  return *instance;
}

}  // namespace xylem::shm

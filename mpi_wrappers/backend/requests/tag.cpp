#include "backend/requests/tag.hpp"

#include <mutex>
#include <vector>

namespace xylem::preload {
namespace {

struct Pool {
  std::mutex mutex;
  std::vector<int> returned;
  int next = 0;
};

// Never destroyed: a program may finalize MPI from a destructor that runs after those of this library.
Pool& pool() {
  static Pool& it = *new Pool;
  return it;
}

}  // namespace

// Any MPI has at least 32,767 of them, and those in use have billions.
Tag::Tag() {
  const std::lock_guard lock(pool().mutex);
  if (pool().returned.empty()) {
    value_ = pool().next++;
    return;
  }
  value_ = pool().returned.back();
  pool().returned.pop_back();
}

Tag::~Tag() {
  const std::lock_guard lock(pool().mutex);
  pool().returned.push_back(value_);
}

}  // namespace xylem::preload

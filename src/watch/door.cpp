#include "watch/door.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <utility>

#include "base/error.hpp"
#include "watch/watch.hpp"

namespace xylem::watch {

Door::Door(std::shared_ptr<Watch> watch, std::uint64_t key)
    : watch_(std::move(watch)), key_(key), bell_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (bell_ < 0) throw system_error("a descriptor for connections of other ranks");
  const std::scoped_lock lock(watch_->mutex_);
  watch_->doors_.emplace(key_, this);
}

Door::~Door() {
  {
    const std::scoped_lock lock(watch_->mutex_);
    watch_->doors_.erase(key_);
  }
  for (const int descriptor : waiting_) close(descriptor);
  close(bell_);
}

std::vector<int> Door::take() {
  const std::scoped_lock lock(watch_->mutex_);
  std::uint64_t rings = 0;
  [[maybe_unused]] const ssize_t bytes = read(bell_, &rings, sizeof rings);
  return std::exchange(waiting_, {});
}

}  // namespace xylem::watch

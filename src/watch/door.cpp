#include "watch/door.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <utility>

#include "base/error.hpp"
#include "watch/watch.hpp"

namespace xylem::watch {

Door::Door(std::shared_ptr<Watch> watch, std::uint64_t key) : watch_(std::move(watch)), key_(key) {
  const std::scoped_lock lock(watch_->mutex_);
  watch_->doors_.emplace(key_, this);
}

Door::~Door() {
  {
    const std::scoped_lock lock(watch_->mutex_);
    watch_->doors_.erase(key_);
  }
  for (const int descriptor : waiting_) close(descriptor);
  if (bell_ >= 0) close(bell_);
}

int Door::bell() {
  const std::scoped_lock lock(watch_->mutex_);
  if (bell_ >= 0) return bell_;
  bell_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (bell_ < 0) throw system_error("a descriptor for connections of other ranks");
  if (!waiting_.empty()) ring();
  return bell_;
}

std::vector<int> Door::take() {
  const std::scoped_lock lock(watch_->mutex_);
  std::uint64_t rings = 0;
  [[maybe_unused]] const ssize_t bytes = bell_ < 0 ? 0 : read(bell_, &rings, sizeof rings);
  return std::exchange(waiting_, {});
}

void Door::let_in(int connection) {
  waiting_.push_back(connection);
  if (bell_ >= 0) ring();
}

void Door::ring() const {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(bell_, &one, sizeof one);
}

}  // namespace xylem::watch

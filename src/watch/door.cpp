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
  const std::scoped_lock lock(watch_->mutex_);
  watch_->doors_.erase(key_);
}

int Door::bell() {
  const std::scoped_lock lock(watch_->mutex_);
  if (bell_.is_open()) return bell_.number();
  bell_ = Descriptor::opened([] { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); });
  if (!bell_.is_open()) throw system_error("a descriptor for connections of other ranks");
  if (!waiting_.empty()) ring();
  return bell_.number();
}

std::vector<std::unique_ptr<Connection>> Door::take() {
  const std::scoped_lock lock(watch_->mutex_);
  std::uint64_t rings = 0;
  [[maybe_unused]] const ssize_t bytes = bell_.is_open() ? read(bell_.number(), &rings, sizeof rings) : 0;
  return std::exchange(waiting_, {});
}

void Door::let_in(std::unique_ptr<Connection> connection) {
  waiting_.push_back(std::move(connection));
  if (bell_.is_open()) ring();
}

void Door::ring() const {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(bell_.number(), &one, sizeof one);
}

}  // namespace xylem::watch

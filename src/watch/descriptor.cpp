#include "watch/descriptor.hpp"

#include <pthread.h>
#include <unistd.h>

#include <utility>

namespace xylem::watch {
namespace {

// Nothing else is locked, allocated or waited for while it is held: whoever forks waits for it.
constinit std::mutex list_mutex;
constinit Descriptor* first = nullptr;

}  // namespace

std::mutex& Descriptor::mutex() {
  [[maybe_unused]] static const int registered =
      pthread_atfork([] { list_mutex.lock(); }, [] { list_mutex.unlock(); }, close_all_in_child);
  return list_mutex;
}

void Descriptor::close_all_in_child() {
  while (first != nullptr) {
    Descriptor& each = *first;
    ::close(each.number_);
    each.leave_list();
    each.number_ = -1;
  }
  list_mutex.unlock();
}

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  if (this == &other) return *this;
  close();
  take(other);
  return *this;
}

void Descriptor::enlist() {
  if (number_ < 0) return;
  next_ = std::exchange(first, this);
  if (next_ != nullptr) next_->previous_ = this;
}

void Descriptor::leave_list() {
  (previous_ != nullptr ? previous_->next_ : first) = next_;
  if (next_ != nullptr) next_->previous_ = previous_;
  next_ = previous_ = nullptr;
}

void Descriptor::take(Descriptor& other) {
  const std::scoped_lock lock(mutex());
  if (other.number_ < 0) return;
  other.leave_list();
  number_ = std::exchange(other.number_, -1);
  enlist();
}

void Descriptor::close() {
  const std::scoped_lock lock(mutex());
  if (number_ < 0) return;
  leave_list();
  ::close(std::exchange(number_, -1));
}

}  // namespace xylem::watch

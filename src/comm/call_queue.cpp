#include "comm/call_queue.hpp"

namespace xylem {

void CallQueue::push(Request& request) {
  // Before the others can see it: they count it off.
  ++outstanding_;
  const std::lock_guard lock(mutex_);
  (last_ == nullptr ? first_ : last_->next_) = &request;
  last_ = &request;
}

Request* CallQueue::front() {
  const std::lock_guard lock(mutex_);
  return first_;
}

void CallQueue::pop(xylem_status status, const std::string& error) {
  Request* request = nullptr;
  {
    const std::lock_guard lock(mutex_);
    request = first_;
    first_ = request->next_;
    if (first_ == nullptr) last_ = nullptr;
  }
  std::string text = status == XYLEM_SUCCESS ? std::string() : error;
  // First the count, then the news: who learns that the last call is done may run the next one directly. From the count on,
  // `error` is that one's.
  --outstanding_;
  request->finish(status, std::move(text));
}

}  // namespace xylem

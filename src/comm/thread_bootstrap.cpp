#include "comm/thread_bootstrap.hpp"

#include <cstring>

namespace xylem {

void Rendezvous::allgather(int rank, const void* send, void* recv, std::size_t bytes) {
  std::unique_lock lock(mutex_);
  const std::size_t total = bytes * static_cast<std::size_t>(size_);
  // A fast rank may be here again while others still read the last round.
  all_here_.wait(lock, [this] { return reading_ == 0; });
  gathered_.resize(total);
  if (bytes != 0) std::memcpy(gathered_.data() + bytes * static_cast<std::size_t>(rank), send, bytes);
  if (++arrived_ == size_) {
    arrived_ = 0;
    reading_ = size_;
    all_here_.notify_all();
  } else {
    all_here_.wait(lock, [this] { return reading_ != 0; });
  }
  if (bytes != 0) std::memcpy(recv, gathered_.data(), total);
  if (--reading_ == 0) all_here_.notify_all();
}

}  // namespace xylem

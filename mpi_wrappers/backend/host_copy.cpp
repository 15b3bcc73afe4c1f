#include "backend/host_copy.hpp"

#include <algorithm>

namespace xylem::preload {

void HostCopy::Span::include(std::ptrdiff_t first, std::ptrdiff_t bytes, std::ptrdiff_t way) {
  const std::ptrdiff_t from = first + std::min<std::ptrdiff_t>(way, 0);
  const std::ptrdiff_t to = first + bytes + std::max<std::ptrdiff_t>(way, 0);
  const bool is_first = begin == end;
  begin = is_first ? from : std::min(begin, from);
  end = is_first ? to : std::max(end, to);
}

bool HostCopy::is_on_device(const void* buffer) {
  return buffer != nullptr && buffer != MPI_IN_PLACE && xylem_mem_kind(buffer) == XYLEM_MEMORY_DEVICE;
}

xylem_status HostCopy::copy(std::ptrdiff_t begin, std::ptrdiff_t end) {
  original_ = address_ + begin;
  bytes_ = static_cast<std::size_t>(end - begin);
  void* memory = nullptr;
  const xylem_status status = xylem_mem_alloc(&memory, bytes_, XYLEM_MEMORY_PINNED);
  memory_.reset(static_cast<std::byte*>(memory));
  address_ = memory_.get() - begin;
  return status == XYLEM_SUCCESS ? fetch() : status;
}

xylem_status HostCopy::fetch() const {
  return memory_ == nullptr ? XYLEM_SUCCESS : xylem_mem_copy(memory_.get(), original_, bytes_);
}

xylem_status HostCopy::bring_back() const {
  return memory_ == nullptr ? XYLEM_SUCCESS : xylem_mem_copy(original_, memory_.get(), bytes_);
}

}  // namespace xylem::preload

#include "comm/arrivals.hpp"

#include <algorithm>

namespace xylem {

void Arrivals::add(const void* buffer, xylem_stream_t stream) {
  const bool ordered = stream != XYLEM_STREAM_NONE;
  const cuda::Memory near = ordered ? cuda::memory_of_stream(stream) : cuda::memory_of(buffer);
  if (!ordered && near.kind != cuda::MemoryKind::device && near.kind != cuda::MemoryKind::managed) return;
  const auto known = [&](const Work& work) { return work.stream == stream && work.context == near.context; };
  if (near.context != nullptr && std::any_of(work_.begin(), work_.end(), known)) return;
  cuda::Event event(near);
  event.record(ordered ? stream : cuda::default_stream());
  work_.push_back({stream, near.context, std::move(event)});
}

bool Arrivals::passed() const {
  return std::all_of(work_.begin(), work_.end(), [](const Work& work) { return work.event.done(); });
}

}  // namespace xylem

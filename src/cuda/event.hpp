// How work in one stream waits for work in another, of this process or of another one, while no host waits.
//
// Events are kept when they are given back, and used again: another process that has opened one may look at it whenever it
// likes, and finds work that is done, or is done later than what it looks for.
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

#include "cuda/memory.hpp"

struct CUevent_st;

namespace xylem::cuda {

// An event as other processes learn of it.
struct ExportedEvent {
  std::uint64_t process = 0;  // of no other process
  std::uint64_t event = 0;    // in that process
  std::array<std::uint8_t, 64> handle{};
};
static_assert(std::is_trivially_copyable_v<ExportedEvent>);

class Event {
 public:
  // Of this process, in the context of `near`. Throws Error.
  explicit Event(const Memory& near);
  // Of another rank: only to be waited for. Throws Error where the driver does not open it.
  Event(const ExportedEvent& exported, const Memory& near);
  ~Event();
  Event(Event&& other) noexcept;
  Event& operator=(Event&&) = delete;

  // Throws Error where the driver does not export events.
  ExportedEvent exported() const;

  // All of these throw Error. The event stands for the work that `stream`, one of the context, has so far.
  void record(CUstream_st* stream) const;
  // What `stream` is given from now on waits for the work that the event stands for now; a new event stands for none.
  void hold(CUstream_st* stream) const;
  // That work has been done.
  bool done() const;

 private:
  Memory near_;
  CUevent_st* event_ = nullptr;
  enum class Origin : std::uint8_t { made, opened, lent } origin_;
};

}  // namespace xylem::cuda

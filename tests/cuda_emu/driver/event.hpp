// Events. Their state lies in memory that executors and, for IPC, other processes see.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <memory>
#include <set>
#include <vector>

#include "shared/protocol.hpp"

namespace cuda_emu {

struct Capture;

// The events of another process, which this one and its executor have mapped.
struct OpenedEvents {
  std::uint64_t inode = 0;
  std::uint32_t table = 0;  // as the executor counts them
  EventState* states = nullptr;
};

class EventSlots {
 public:
  std::uint32_t take();  // throws Error
  void give_back(std::uint32_t slot) { free_.push_back(slot); }

 private:
  std::uint32_t unused_ = 0;
  std::vector<std::uint32_t> free_;
};

}  // namespace cuda_emu

struct CUevent_st {
  CUcontext context = nullptr;
  unsigned flags = CU_EVENT_DEFAULT;
  std::uint32_t table = cuda_emu::kOwnEvents;
  std::uint32_t slot = 0;
  cuda_emu::EventState* state = nullptr;
  std::uint32_t before = 0;  // what was recorded when it was made: the slot may have been another event's

  std::shared_ptr<cuda_emu::Capture> capture;  // not null: last recorded in a stream that was being captured
  std::set<std::size_t> capture_tail;
};

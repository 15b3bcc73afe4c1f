// How many blocks a device holds at once, and that it is one process's at a time.
#pragma once

#include <cstdint>

#include "shared/protocol.hpp"

namespace cuda_emu {

void explain_device(const Device& device);

// The room that a kernel has on its device, from the start of its first block to the end of its last. Kernels get room in
// the order in which they ask. While kernels of this process have room, no other process's kernel runs on the device:
// there is no time slicing, so kernels of two processes that wait for each other wait for ever.
class Room {
 public:
  explicit Room(const Launch& launch);  // waits
  ~Room();
  Room(const Room&) = delete;
  Room& operator=(const Room&) = delete;

  std::uint32_t blocks() const { return blocks_; }  // that may run at once; less than the launch's if these are many

 private:
  std::uint32_t device_;
  std::uint32_t blocks_;
};

}  // namespace cuda_emu

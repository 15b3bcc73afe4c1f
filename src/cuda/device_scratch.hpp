// Device memory that kernels of a communicator need beside the buffers of their calls.
#pragma once

#include <cstddef>
#include <vector>

#include "cuda/memory.hpp"

namespace xylem::cuda {

class DeviceScratch {
 public:
  // On the device of `near`. Throws Error.
  explicit DeviceScratch(const Memory& near);
  ~DeviceScratch();
  DeviceScratch(const DeviceScratch&) = delete;
  DeviceScratch& operator=(const DeviceScratch&) = delete;

  // The context is still there, and with it the memory.
  bool lives() const;

  // The largest piece, and its length.
  std::byte* data() const { return pieces_.empty() ? nullptr : pieces_.back(); }
  std::size_t bytes() const { return bytes_; }

  // Sees to it that there are `bytes` bytes. What was given before stays valid: a captured graph may use it. The driver waits
  // for what runs in the context. Throws Error.
  void reserve(std::size_t bytes);

 private:
  Memory near_;
  std::vector<std::byte*> pieces_;  // each at least twice as long as the one before
  std::size_t bytes_ = 0;
};

}  // namespace xylem::cuda

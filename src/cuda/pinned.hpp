// Host memory that GPUs copy from and to at full speed. Locking memory takes long, so what is given back is kept for the next
// call, up to a limit.
#pragma once

#include <cstddef>

#include "cuda/memory.hpp"

namespace xylem::cuda {

// Owns a piece of it. Where the driver refuses to lock memory the piece is plain memory: copies are slower then, and right.
class PinnedMemory {
 public:
  PinnedMemory() = default;
  // At least `bytes` bytes, not cleared. `near` names the context that locks it; all contexts may use it. Throws Error.
  PinnedMemory(std::size_t bytes, const Memory& near);
  ~PinnedMemory();
  PinnedMemory(PinnedMemory&& other) noexcept;
  PinnedMemory& operator=(PinnedMemory&& other) noexcept;

  std::byte* data() const { return piece_.data; }
  std::size_t bytes() const { return piece_.bytes; }

  struct Piece {
    std::byte* data = nullptr;
    std::size_t bytes = 0;
    Memory near;  // what it was locked for
  };

 private:
  Piece piece_;
};

}  // namespace xylem::cuda

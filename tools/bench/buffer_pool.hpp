// Buffers in which calls take turns, so that no call finds the ones of the call before in its caches.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>

#include "bench/collective_call.hpp"

namespace xylem::tools {

class BufferPool {
 public:
  // `warm`: not more than stays in a core's own caches, or one pair.
  BufferPool(std::size_t send_bytes, std::size_t receive_bytes, bool warm);

  // What a pool takes.
  static std::size_t bytes(std::size_t send_bytes, std::size_t receive_bytes, bool warm);

  std::size_t size() const { return pairs_; }
  Buffers operator[](std::size_t pair) const;

 private:
  struct Free {
    void operator()(std::byte* memory) const { std::free(memory); }
  };

  std::size_t send_span_;
  std::size_t pair_span_;
  std::size_t pairs_;
  std::unique_ptr<std::byte, Free> memory_;
};

}  // namespace xylem::tools

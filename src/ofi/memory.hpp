// Pages that the provider may read and write: registered with it when it wants that, and given back to the system at the end.
#pragma once

#include <cstddef>
#include <span>

#include "ofi/endpoint.hpp"

namespace xylem::ofi {

class Memory {
 public:
  // Zero bytes, not touched yet unless the provider registers. Throws Error.
  Memory(Endpoint& endpoint, std::size_t bytes);
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  std::byte* data() const { return pages_.data(); }
  void* descriptor() const { return region_ != nullptr ? fi_mr_desc(region_.get()) : nullptr; }

 private:
  std::span<std::byte> pages_;
  Handle<fid_mr> region_;
};

}  // namespace xylem::ofi

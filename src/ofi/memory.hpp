// Pages that the provider may read and write: registered with it where that is needed, and given back to the system at the
// end.
#pragma once

#include <cstddef>
#include <span>

#include "ofi/endpoint.hpp"

namespace xylem::ofi {

class Memory {
 public:
  // Zero bytes, not touched yet unless the provider registers pages only. Throws Error.
  Memory(Endpoint& endpoint, std::size_t bytes);
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  // Throws Error.
  void allow(Endpoint::Access access);

  std::span<std::byte> bytes() const { return pages_; }
  std::byte* data() const { return pages_.data(); }
  void* descriptor() const { return region_ != nullptr ? fi_mr_desc(region_.get()) : nullptr; }
  // Of memory that peers may write into.
  std::uint64_t key() const { return fi_mr_key(region_.get()); }
  std::uint64_t remote_address(const std::byte* data) const { return endpoint_.remote_address(pages_, data); }

 private:
  Endpoint& endpoint_;
  std::span<std::byte> pages_;
  Handle<fid_mr> region_;
};

}  // namespace xylem::ofi

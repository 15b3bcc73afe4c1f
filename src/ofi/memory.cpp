#include "ofi/memory.hpp"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "base/error.hpp"

namespace xylem::ofi {
namespace {

std::span<std::byte> map_pages(std::size_t bytes) {
  void* const pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) throw system_error("network buffers of " + std::to_string(bytes) + " bytes");
  return {static_cast<std::byte*>(pages), bytes};
}

}  // namespace

Memory::Memory(Endpoint& endpoint, std::size_t bytes) : endpoint_(endpoint), pages_(map_pages(bytes)) {
  if (endpoint.wants_pages()) std::memset(pages_.data(), 0, pages_.size());
}

Memory::~Memory() {
  region_.reset();
  munmap(pages_.data(), pages_.size());
}

void Memory::allow(Endpoint::Access access) { region_ = endpoint_.register_memory(pages_, access); }

}  // namespace xylem::ofi

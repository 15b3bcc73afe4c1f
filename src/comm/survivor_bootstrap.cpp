#include "comm/survivor_bootstrap.hpp"

#include <cstring>

namespace xylem {

void SurvivorBootstrap::allgather(const void* send, void* recv, std::size_t bytes) {
  const auto* const own = static_cast<const std::byte*>(send);
  const survive::Contributions all = agreement_.agree({own, own + bytes});
  auto* out = static_cast<std::byte*>(recv);
  for (const std::uint32_t member : members_) {
    const auto found = all.find(member);
    if (found == all.end() || found->second.size() != bytes)
      throw MemberLost("rank " + std::to_string(member) + " ended while the survivors made a communicator");
    if (bytes != 0) std::memcpy(out, found->second.data(), bytes);
    out += bytes;
  }
}

}  // namespace xylem

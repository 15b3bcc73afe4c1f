// What a process tells its peers, so that they notice when it ends.
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

namespace xylem::watch {

struct Address {
  std::uint8_t family;  // 4, 6, or 0: none
  std::array<std::uint8_t, 16> bytes;
};

// Sent as it is, through the bootstrap only.
struct Identity {
  static constexpr std::size_t kAddresses = 8;

  // Random: names the process, and who knows it may connect to the process.
  std::uint64_t secret;
  std::int32_t pid;
  std::uint16_t port;  // where it listens at all its addresses; 0: nowhere
  std::array<Address, kAddresses> addresses;
};
static_assert(std::is_trivially_copyable_v<Identity>);

}  // namespace xylem::watch

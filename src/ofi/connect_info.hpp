// What a rank tells the others about itself when a communicator is made.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace xylem::ofi {

struct ConnectInfo {
  std::array<char, 64> provider;  // zero-terminated
  std::uint64_t place;            // must be equal on all ranks: how far their addresses reach (meeting_place)
  std::uint64_t home;             // the network namespace, which no other host has
  std::uint64_t first_link;       // messages of rank r carry the number first_link + r
  std::uint32_t slot_bytes;       // the most that this rank takes
  std::uint32_t address_format;
  std::uint32_t address_bytes;
  std::array<std::byte, 260> address;
};
static_assert(std::is_trivially_copyable_v<ConnectInfo>);

}  // namespace xylem::ofi

// Whether ranks of a host can read each other's memory: each tells the others where a number lies in its own, and they try.
#pragma once

#include <cstdint>

namespace xylem {

// Sent as it is, through the bootstrap only.
struct ReadProbe {
  std::int32_t process;
  std::uint64_t address;
  std::uint64_t number;  // random: another process of that id, in another container, does not have it there
};

ReadProbe own_read_probe();

// Whether the number is there.
bool can_read(const ReadProbe& probe);

}  // namespace xylem

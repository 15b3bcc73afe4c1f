#include "comm/read_probe.hpp"

#include <unistd.h>

#include <random>

#include "exec/process_memory.hpp"

namespace xylem {

ReadProbe own_read_probe() {
  static const std::uint64_t number = [] {
    std::random_device random;
    return std::uint64_t{random()} << 32 | random();
  }();
  return {getpid(), reinterpret_cast<std::uintptr_t>(&number), number};
}

bool can_read(const ReadProbe& probe) {
  std::uint64_t found = 0;
  const auto* const address =
      reinterpret_cast<const void*>(probe.address);  // NOLINT(performance-no-int-to-ptr): of another process
  return exec::read_process(probe.process, &found, address, sizeof found) && found == probe.number;
}

}  // namespace xylem

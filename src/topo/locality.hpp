// Which part of its host this process keeps to: what groups ranks into the levels inside a host. Read from /sys, cheap: every
// rank needs it to start.
#pragma once

#include <cstdint>
#include <filesystem>

#include "topo/topology.hpp"

namespace xylem::topo {

// The part that holds all cores which the process may run on, by a number that is the host's own; -1: there is none.
struct Locality {
  std::int32_t numa_node = -1;
  std::int32_t core_complex = -1;  // cores that share a last-level cache

  bool operator==(const Locality&) const = default;
};

const Locality& locality();

// The same from a given "/" for given cores. This is what tests call.
Locality find_locality(const std::filesystem::path& root, const CoreMask& cores);

}  // namespace xylem::topo

// What the plan knows of a communicator. Equal on all ranks: it is agreed when the communicator is made.
#pragma once

#include <cstddef>
#include <cstdint>

#include "coll/traits.hpp"

namespace xylem::plan {

// What part of a link's latency is work of the rank at either end.
inline constexpr double kBusyPart = 0.2;

// In seconds and bytes per second.
constexpr coll::Link make_link(double latency, double bandwidth) { return {latency, 1 / bandwidth, kBusyPart * latency}; }

// What links and work inside a host cost where each rank has a core: a cache line from core to core, and copies at the speed
// of a cache that they share.
struct HostCosts {
  coll::Link board = make_link(0.1e-6, 12e9);
  coll::Link channel = make_link(0.12e-6, 10e9);
  coll::Link lending = {1.9e-6, 1 / 10e9};  // the kernel looks up every page
  double copy_per_byte = 1 / 30e9;
  double reduce_per_byte = 1 / 30e9;
};

struct Shape {
  std::uint32_t ranks = 1;
  std::uint32_t hosts = 1;
  std::uint32_t ranks_per_host = 1;  // on the host that has most
  double ranks_per_core = 1;         // on the host that is most crowded, at least 1
  std::uint32_t slot_bytes = 0;      // of the smallest slot of any channel
  std::uint32_t board_bytes = 0;     // of the smallest board buffer of any rank; 0: there is no board
  coll::Link network{};              // of the provider in use; unused on one host
  std::uint32_t rails = 1;           // network interfaces of a host
  HostCosts inside{};
  coll::Loans loans{};
  bool in_rank_order = true;  // the ranks of each host are neighbours among all ranks
  bool reproducible = false;  // sums that round are folded along the canonical tree over the ranks (coll/cores.hpp)
};

// Fixed figures of links inside a host and of libfabric providers by name. Never measured at start-up: a measured choice
// could differ from run to run, and with it the bits of a sum.
coll::Link network_link(const char* provider);
coll::Workload workload(const Shape& shape, double bytes);

}  // namespace xylem::plan

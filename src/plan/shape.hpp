// What the plan knows of a communicator. Equal on all ranks: it is agreed when the communicator is made.
#pragma once

#include <cstddef>
#include <cstdint>

#include "coll/traits.hpp"

namespace xylem::plan {

struct Shape {
  std::uint32_t ranks = 1;
  std::uint32_t hosts = 1;
  std::uint32_t ranks_per_host = 1;  // on the host that has most
  double ranks_per_core = 1;         // on the host that is most crowded, at least 1
  std::uint32_t slot_bytes = 0;      // of the smallest slot of any channel
  std::uint32_t board_bytes = 0;     // of the smallest board buffer of any rank; 0: there is no board
  coll::Link network{};              // of the provider in use; unused on one host
};

// Fixed figures of links inside a host and of libfabric providers by name. Never measured at start-up: a measured choice
// could differ from run to run, and with it the bits of a sum.
coll::Link network_link(const char* provider);
coll::Workload workload(const Shape& shape, double bytes);

}  // namespace xylem::plan

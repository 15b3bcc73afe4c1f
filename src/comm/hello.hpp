// What a rank says of itself in the first round of making a communicator.
#pragma once

#include <cstdint>

#include "topo/locality.hpp"
#include "topo/topology.hpp"

namespace xylem {

struct Hello {
  char version[16];
  std::uint64_t host_id;
  std::uint64_t machine_id;
  char host_name[64];
  topo::CoreMask cores;
  topo::Locality locality;
  double cpu_quota;
  double crowding;           // that this rank knows of already
  bool devices;              // this rank may have device buffers
  std::uint64_t complaints;  // a digest of what is wrong with this rank's environment
  // Rank 0's count.
  std::uint64_t id;
  std::uint64_t chunk_bytes;
  std::uint64_t loan_bytes;
  double timeout_seconds;
  bool reproducible;
  std::uint64_t algorithm_length;
  std::uint64_t tuning_length;
  bool tuning_trouble;  // its tuning file cannot be used
};

}  // namespace xylem

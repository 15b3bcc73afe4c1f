// What every algorithm says of itself beside its text: what it needs, and what it is expected to cost.
#pragma once

#include <cstdint>

namespace xylem::coll {

struct Traits {
  bool board = false;          // uses the board of the host
  bool channels = false;       // uses channels between ranks
  bool one_host_only = false;  // works only where all ranks share a host
  bool leaders = false;        // uses Args::leaders
  bool part_per_rank = false;  // a board buffer must have room for an element of every rank
};

// One kind of link: a hand-over of a small message, and every further byte.
struct Link {
  double latency;   // seconds
  double per_byte;  // seconds
};

// A call as the cost model sees it. N = bytes of the whole vector (of all blocks together where every rank has one).
struct Workload {
  double bytes = 0;  // N
  std::uint32_t ranks = 1;
  std::uint32_t hosts = 1;
  std::uint32_t ranks_per_host = 1;  // the most on one host
  Link board{};                      // one rank shows, another reads
  Link channel{};                    // a slot from a rank to another on its host
  Link network{};                    // a slot from a host to another
  double reduce_per_byte = 0;
  double chunk_bytes = 1;  // for pipelines

  // How often a loop that takes `width` chunks at a time goes round.
  double rounds(double width) const {
    const double all = bytes / (width * chunk_bytes);
    return all < 1 ? 1 : all;
  }

  // The time to send or receive that many small messages of different peers, one after the other.
  double burst(double messages) const { return messages * 0.2 * step().latency; }

  // The slower of the links that a step around all ranks uses.
  Link step() const { return hosts > 1 ? network : channel; }
};

inline double log2_up(std::uint32_t value) {
  double log = 0;
  for (std::uint32_t power = 1; power < value; power *= 2) ++log;
  return log;
}

// `stages` in a row, through which `bytes` flow in chunks; `per_byte` is the work of the busiest stage.
inline double pipeline(double stages, double latency, double per_byte, double bytes, double chunk) {
  const double first = bytes < chunk ? bytes : chunk;
  return stages * (latency + first * per_byte) + (bytes - first) * per_byte;
}

}  // namespace xylem::coll

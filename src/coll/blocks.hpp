// Where the blocks of a buffer lie, and how a call is cut into lanes. Plain, the same for CPU, GPU and recorder.
#pragma once

#include "exec/platform.hpp"

namespace xylem::coll {

XYLEM_HD inline std::size_t divide_up(std::size_t value, std::size_t by) { return (value + by - 1) / by; }
XYLEM_HD inline std::size_t smaller(std::size_t a, std::size_t b) { return a < b ? a : b; }

struct Range {
  std::size_t first;
  std::size_t length;
};

// The part of [0, size) that starts at `first` and is at most `length` long.
XYLEM_HD inline Range clip(std::size_t first, std::size_t length, std::size_t size) {
  const std::size_t begin = smaller(first, size);
  return {begin, smaller(size - begin, length)};
}

// The length of one of `parts` even parts of `bytes` bytes, in whole elements; the last part may be shorter.
XYLEM_HD inline std::size_t even_part(std::size_t bytes, std::size_t parts, std::size_t element_bytes) {
  return divide_up(divide_up(bytes, parts), element_bytes) * element_bytes;
}

// One of the lanes that a call is cut into: the blocks of a CUDA kernel, or the channels over several NICs. Every vector and
// every block is cut alike, into even parts of whole grains, so both ends of a channel find the same part of the same block.
struct LaneShare {
  static constexpr std::size_t kGrain = 128;  // bytes: whole cache lines, whole elements, whole vectors of a warp

  std::uint32_t index = 0;
  std::uint32_t count = 1;
  std::size_t grain = kGrain;

  XYLEM_HD Range of(std::size_t bytes) const {
    if (count == 1) return {0, bytes};
    const std::size_t grains = divide_up(bytes, grain), each = grains / count, left = grains % count;
    return clip((index * each + smaller(index, left)) * grain, (each + (index < left ? 1 : 0)) * grain, bytes);
  }
};

// A buffer as blocks, one per rank: `length` bytes each, `stride` bytes apart, or of differing lengths at any places. A
// buffer that is one vector, or one rank's block, is blocks with no stride between them: every rank's block is all of it.
struct Blocks {
  std::size_t length = 0;                // bytes of each block; for differing lengths see below
  std::size_t stride = 0;                // bytes from block to block
  std::size_t skip = 0;                  // bytes of each block before this lane's part
  const std::size_t* lengths = nullptr;  // by rank, in units; null where all are alike
  const std::size_t* offsets = nullptr;  // by rank, in units
  std::size_t unit = 1;                  // bytes
  LaneShare lane{};                      // for differing lengths: cut when looked at

  XYLEM_HD Range at(std::uint32_t rank) const {
    if (lengths == nullptr) return {rank * stride + skip, length};
    const Range part = lane.of(lengths[rank] * unit);
    return {offsets[rank] * unit + part.first, part.length};
  }
  // Bytes of the longest block of this lane.
  XYLEM_HD std::size_t longest(std::uint32_t ranks) const {
    if (lengths == nullptr) return length;
    std::size_t most = 0;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      const std::size_t here = lane.of(lengths[rank] * unit).length;  // a longer block's last grain may leave less here
      most = here > most ? here : most;
    }
    return most;
  }
  XYLEM_HD Blocks of_lane(LaneShare share) const {
    Blocks part = *this;
    part.lane = share;
    if (lengths == nullptr) {
      const Range range = share.of(length);
      part.skip = range.first;
      part.length = range.length;
    }
    return part;
  }
};

}  // namespace xylem::coll

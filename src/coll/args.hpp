// What an algorithm is told of its call: buffers, and who takes part where. Plain, the same for CPU, GPU and recorder.
#pragma once

#include "exec/slice.hpp"

namespace xylem::coll {

// An ordered set of ranks of the communicator, and this rank's place in it.
struct Group {
  const std::uint32_t* members = nullptr;  // communicator ranks by place; null: place i is rank i
  std::uint32_t place = 0;                 // this rank's; `size` where it is no member
  std::uint32_t size = 0;

  XYLEM_HD std::uint32_t rank(std::uint32_t at) const { return members == nullptr ? at : members[at]; }
  XYLEM_HD bool member() const { return place < size; }
  // The place of a communicator rank that is a member.
  XYLEM_HD std::uint32_t place_of(std::uint32_t wanted) const {
    if (members == nullptr) return wanted;
    std::uint32_t at = 0;
    while (rank(at) != wanted) ++at;
    return at;
  }
};

struct Args {
  const std::byte* input = nullptr;
  std::byte* output = nullptr;  // may be input
  std::size_t count = 0;        // elements: of the vector, or of a block where every rank has one
  std::size_t element_bytes = 1;
  std::size_t chunk_bytes = 0;  // what one slot, or one board buffer, takes at most
  std::uint32_t rank = 0;
  std::uint32_t ranks = 1;
  std::uint32_t root = 0;        // rooted collectives only
  std::byte* scratch = nullptr;  // chunk_bytes of this rank's own, for ranks that have no receive buffer

  Group all;                      // every rank, ranks of one host side by side
  Group host;                     // the ranks of this host, in the order of the board
  Group leaders;                  // one rank of each host, the root on its host where there is one
  std::uint32_t host_leader = 0;  // the one of this host

  XYLEM_HD exec::View in(std::size_t first, std::size_t length) const {
    return {input + first * element_bytes, length * element_bytes};
  }
  XYLEM_HD exec::Slice out(std::size_t first, std::size_t length) const {
    return {output + first * element_bytes, length * element_bytes};
  }
  // Elements in a chunk, at least 1.
  XYLEM_HD std::size_t chunk_elements() const { return chunk_bytes / element_bytes; }
};

// The part of [0, count) that starts at `first` and is at most `length` long.
struct Range {
  std::size_t first;
  std::size_t length;
};
XYLEM_HD inline Range clip(std::size_t first, std::size_t length, std::size_t count) {
  const std::size_t begin = first < count ? first : count;
  return {begin, count - begin < length ? count - begin : length};
}

XYLEM_HD inline std::size_t divide_up(std::size_t value, std::size_t by) { return (value + by - 1) / by; }
XYLEM_HD inline std::size_t smaller(std::size_t a, std::size_t b) { return a < b ? a : b; }

}  // namespace xylem::coll

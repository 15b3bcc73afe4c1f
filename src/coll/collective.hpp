// The collectives there are, and what each makes of its buffers.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace xylem::coll {

enum class Collective : unsigned char {
  allreduce,
  reduce,
  bcast,
  allgather,
  allgatherv,
  reduce_scatter,
  reduce_scatter_block,
  alltoall,
  alltoallv,
  alltoallw,
  gather,
  gatherv,
  scatter,
  scatterv,
  scan,
  exscan,
  barrier
};
inline constexpr std::size_t kCollectives = 17;

// What a rank's send or receive buffer is.
enum class Buffer : unsigned char {
  none,
  vector,  // one vector, as long on every rank
  own,     // this rank's block
  blocks,  // a block for, or from, every rank
};

struct CollectiveFacts {
  const char* name;  // "allreduce": in messages, settings and statistics
  Buffer input, output;
  bool reduces;
  bool rooted;
  bool uneven;        // blocks may differ in length
  bool known_to_all;  // every rank knows the length of every block, and they are part of what tells the call apart
};

inline constexpr CollectiveFacts kCollectiveFacts[kCollectives] = {
    {"allreduce", Buffer::vector, Buffer::vector, true, false, false, true},
    {"reduce", Buffer::vector, Buffer::vector, true, true, false, true},
    {"bcast", Buffer::vector, Buffer::vector, false, true, false, true},
    {"allgather", Buffer::own, Buffer::blocks, false, false, false, true},
    {"allgatherv", Buffer::own, Buffer::blocks, false, false, true, true},
    {"reduce_scatter", Buffer::blocks, Buffer::own, true, false, true, true},
    {"reduce_scatter_block", Buffer::blocks, Buffer::own, true, false, false, true},
    {"alltoall", Buffer::blocks, Buffer::blocks, false, false, false, true},
    {"alltoallv", Buffer::blocks, Buffer::blocks, false, false, true, false},
    {"alltoallw", Buffer::blocks, Buffer::blocks, false, false, true, false},
    {"gather", Buffer::own, Buffer::blocks, false, true, false, true},
    {"gatherv", Buffer::own, Buffer::blocks, false, true, true, false},
    {"scatter", Buffer::blocks, Buffer::own, false, true, false, true},
    {"scatterv", Buffer::blocks, Buffer::own, false, true, true, false},
    {"scan", Buffer::vector, Buffer::vector, true, false, false, true},
    {"exscan", Buffer::vector, Buffer::vector, true, false, false, true},
    {"barrier", Buffer::none, Buffer::none, false, false, false, true},
};

constexpr const CollectiveFacts& facts(Collective collective) {
  return kCollectiveFacts[static_cast<std::size_t>(collective)];
}
constexpr const char* collective_name(Collective collective) { return facts(collective).name; }
std::optional<Collective> find_collective(std::string_view name);

// Whether only the root has this buffer: the input of a scatter, the output of a gather or reduce.
constexpr bool only_root_sends(Collective collective) {
  return facts(collective).rooted && facts(collective).input == Buffer::blocks;
}
constexpr bool only_root_receives(Collective collective) {
  return facts(collective).rooted && (facts(collective).output == Buffer::blocks || facts(collective).reduces);
}

}  // namespace xylem::coll

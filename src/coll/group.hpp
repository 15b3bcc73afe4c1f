// An ordered set of ranks of a communicator. Plain, the same for CPU, GPU and recorder.
#pragma once

#include "exec/platform.hpp"

namespace xylem::coll {

struct Group {
  const std::uint32_t* members = nullptr;  // communicator ranks by place; null: the ranks themselves
  std::uint32_t place = 0;                 // this rank's; `size` where it is no member
  std::uint32_t size = 0;
  std::uint32_t first = 0, stride = 1;  // of `members`, or of the ranks: place i is number first + i * stride of them

  XYLEM_HD std::uint32_t rank(std::uint32_t at) const {
    const std::uint32_t number = first + at * stride;
    return members == nullptr ? number : members[number];
  }
  XYLEM_HD bool member() const { return place < size; }
  // The place of a communicator rank that is a member.
  XYLEM_HD std::uint32_t place_of(std::uint32_t wanted) const {
    if (members == nullptr) return (wanted - first) / stride;
    std::uint32_t at = 0;
    while (rank(at) != wanted) ++at;
    return at;
  }
};

}  // namespace xylem::coll

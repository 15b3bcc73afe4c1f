// An ordered set of ranks of a communicator. Plain, the same for CPU, GPU and recorder.
#pragma once

#include "exec/platform.hpp"

namespace xylem::coll {

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

}  // namespace xylem::coll

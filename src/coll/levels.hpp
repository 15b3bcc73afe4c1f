// The levels inside a host. Its ranks, in the order of the board, are neighbours in groups that share a last-level cache (a
// core complex); these are neighbours in groups on a NUMA node, and those make up the host. Every group of a level has as
// many ranks; a level where that is not so is left out. No I/O.
#pragma once

#include "coll/group.hpp"

namespace xylem::coll {

struct Levels {
  static constexpr std::uint32_t kMost = 2;  // below the host
  std::uint32_t count = 0;                   // of levels below the host
  std::uint32_t sizes[kMost] = {};  // ranks of their groups, inner level first; each divides the next, the last the host's
};

// One level of a host of `ranks` ranks, 0 the innermost. A group of it has `width` ranks, in groups of `below` ranks each.
class Level {
 public:
  XYLEM_HD Level(const Levels& levels, std::uint32_t ranks, std::uint32_t number)
      : below_(number == 0 ? 1 : levels.sizes[number - 1]), width_(number < levels.count ? levels.sizes[number] : ranks) {}

  XYLEM_HD std::uint32_t below() const { return below_; }
  XYLEM_HD std::uint32_t width() const { return width_; }

  // Of the group of `place`, one rank of each group below: those at the same position there as `like`. By place on the board.
  XYLEM_HD Group peers(std::uint32_t place, std::uint32_t like) const {
    return {nullptr, place % width_ / below_, width_ / below_, place / width_ * width_ + like % below_, below_};
  }

 private:
  std::uint32_t below_, width_;
};

}  // namespace xylem::coll

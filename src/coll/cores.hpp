// The cores of a group: as many of its members as the largest power of two below its size, for algorithms that pair ranks by
// the bits of their numbers. The others fold their contributions into a core's before, and get the result from it after.
// With S members and C cores, places 0 ... 2(S-C)-1 are pairs of neighbours, a core and another; every further place is a
// core. No I/O.
//
// Pairs first and then bit 1, 2, 4, ... of the cores' numbers, always the lower places on the left: that is the complete
// binary tree over the places, full on every level but the last, which is filled from the left. It is the *canonical tree*:
// whoever sums along it over the ranks gets the same bits as everybody else who does (coll/traits.hpp).
#pragma once

#include "coll/group.hpp"
#include "coll/tree.hpp"
#include "exec/lane.hpp"

namespace xylem::coll {

class Cores {
 public:
  // In a pair the first place is the core, or the place `wanted`.
  XYLEM_HD explicit Cores(const Group& group, std::uint32_t wanted = ~std::uint32_t{0})
      : group_(group), wanted_(wanted), count_(power_of_two_below(group.size)), number_(number_at(group.place)) {}

  XYLEM_HD std::uint32_t count() const { return count_; }
  XYLEM_HD bool is_core() const { return !paired() || place_of(number_) == group_.place; }

  // This core's number, or that of the core in the own pair; and any core's rank. Numbers rise with places.
  XYLEM_HD std::uint32_t number() const { return number_; }
  XYLEM_HD std::uint32_t number_at(std::uint32_t place) const { return place < 2 * pairs() ? place / 2 : place - pairs(); }
  XYLEM_HD std::uint32_t rank(std::uint32_t number) const { return group_.rank(place_of(number)); }

  // The place or two places that a core stands for: the first, and how many.
  XYLEM_HD std::uint32_t first_place(std::uint32_t number) const { return number < pairs() ? 2 * number : number + pairs(); }
  XYLEM_HD std::uint32_t places(std::uint32_t number) const { return number < pairs() ? 2 : 1; }

  // Whether this place is in a pair, the rank of the other place of it, and the order in which the core folds.
  XYLEM_HD bool paired() const { return number_ < pairs(); }
  XYLEM_HD std::uint32_t other() const { return group_.rank(group_.place ^ 1U); }
  XYLEM_HD exec::Order pair_order() const {
    return group_.place % 2 == 0 ? exec::Order::own_first : exec::Order::received_first;
  }

  // The core whose number differs in one bit, and the order in which a core folds what comes from there.
  XYLEM_HD std::uint32_t partner(std::uint32_t bit) const { return rank(number_ ^ bit); }
  XYLEM_HD exec::Order order(std::uint32_t bit) const {
    return (number_ & bit) == 0 ? exec::Order::own_first : exec::Order::received_first;
  }

 private:
  XYLEM_HD std::uint32_t pairs() const { return group_.size - count_; }
  XYLEM_HD std::uint32_t place_of(std::uint32_t number) const {
    return first_place(number) + (number < pairs() && wanted_ == 2 * number + 1 ? 1 : 0);
  }

  const Group& group_;
  std::uint32_t wanted_, count_, number_;
};

}  // namespace xylem::coll

// Sums of what the ranks of a host show on its board: one rank reads the same part of what each shows, and folds it.
#pragma once

#include "coll/cores.hpp"
#include "coll/group.hpp"
#include "exec/lane.hpp"

namespace xylem::coll {

// Below, a group is one of places on the board: the host, or part of one of its levels (coll/levels.hpp).

// A part of what every member shows: which bytes of it, and this rank's, where it lies.
struct ShownPart {
  std::size_t shown_bytes;
  std::size_t skip;
  exec::View own;
};

// Reads the parts for a sum into `out`. Its own is read where it lies, if it can be: others have just taken the line of the
// board that holds it, and bringing it back costs as much as a hop. `out` is written when the parts 0 and 1 are folded.
template <class Lane>
class ShownParts {
 public:
  XYLEM_HD ShownParts(Lane& lane, const Group& group, const ShownPart& part, exec::Slice out)
      : lane_(lane), group_(group), part_(part), out_(out), own_lasts_(outlasts_fold(part.own, group.place, out)) {}

  XYLEM_HD exec::View at(std::uint32_t member) const {
    if (member == group_.place && own_lasts_) return part_.own;
    return {lane_.fetch(group_.rank(member), part_.shown_bytes).data + part_.skip, out_.bytes};
  }

 private:
  static XYLEM_HD bool outlasts_fold(exec::View own, std::uint32_t place, exec::Slice out) {
    return out.data == own.data ? place <= 1 : !exec::lies_askew(out, own);
  }

  Lane& lane_;
  const Group& group_;
  const ShownPart& part_;
  exec::Slice out_;
  bool own_lasts_;
};

// out <- the parts of the first `members`, one after the other in the order of the board.
template <class Lane>
XYLEM_HD void fold_in_order(Lane& lane, const Group& group, std::uint32_t members, const ShownPart& part, exec::Slice out) {
  const ShownParts parts(lane, group, part, out);
  exec::View left = parts.at(0);
  if (members == 1) lane.keep(out, left);
  for (std::uint32_t member = 1; member < members; ++member) {
    lane.reduce(out, left, parts.at(member));
    left = out;
  }
}

// Sums that wait for their right neighbours while a tree over so many members is folded, beside the one in `out`.
XYLEM_HD inline std::uint32_t waiting_sums(std::uint32_t members) {
  std::uint32_t sums = 0;
  for (std::uint32_t cores = power_of_two_below(members); cores > 2; cores /= 2) ++sums;
  return sums;
}

// out <- the parts of all members along the canonical tree (coll/cores.hpp), the lower members first. `memory` has room for
// waiting_sums() parts.
template <class Lane>
XYLEM_HD void fold_along_tree(Lane& lane, const Group& group, const ShownPart& part, exec::Slice out, std::byte* memory) {
  constexpr std::uint32_t kMostLevels = 32;
  const ShownParts parts(lane, group, part, out);
  const std::uint32_t cores = power_of_two_below(group.size), pairs = group.size - cores;
  const auto place = [&](std::uint32_t level) {
    return level == 0 ? out : exec::Slice{memory + (level - 1) * out.bytes, out.bytes};
  };
  const std::byte* sums[kMostLevels];  // of subtrees whose right neighbour is to come, the largest first
  std::uint32_t waiting = 0;
  for (std::uint32_t core = 0; core < cores; ++core) {
    exec::View sum = parts.at(core < pairs ? 2 * core : core + pairs);
    if (core < pairs) {
      lane.reduce(place(waiting), sum, parts.at(2 * core + 1));
      sum = place(waiting);
    }
    for (std::uint32_t bit = 1; (core & bit) != 0; bit *= 2) {
      --waiting;
      lane.reduce(place(waiting), {sums[waiting], out.bytes}, sum);
      sum = place(waiting);
    }
    sums[waiting++] = sum.data;
  }
  // NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): no group is empty
  if (group.size == 1) lane.keep(out, {sums[0], out.bytes});
}

}  // namespace xylem::coll

// Symbolic values of elements: a contribution of a rank, or the reduction of two terms in this order. Equal terms have equal
// numbers, so two results with the same number have the same association and the same operand order.
#pragma once

#include <cstdint>
#include <vector>

namespace xylem::verify {

using Term = std::uint32_t;

class Terms {
 public:
  static constexpr Term kGarbage = 0;  // memory that was never written

  Terms() : nodes_(1), table_(kFirstTable, kGarbage) {}

  // Element `index` of rank `rank`'s input of call `call`.
  Term leaf(std::uint32_t call, std::uint32_t rank, std::uint64_t index);

  // left op right. kGarbage where one of them is.
  Term reduce(Term left, Term right);

  // The term is the reduction of exactly one contribution of each of the ranks first ... last - 1, all of element `index` of
  // call `call`.
  bool is_sum(Term term, std::uint32_t call, std::uint32_t first, std::uint32_t last, std::uint64_t index) const;

  // From left to right, the contributions are of rising ranks. For terms that are sums.
  bool is_in_rank_order(Term term) const;

  // Reproducible sums are associated so. The complete binary tree: every level is full but the last, which is filled from the
  // left. And the fold from the left.
  bool is_complete_tree(Term term) const;
  bool is_left_fold(Term term) const;

 private:
  struct Node {
    Term left = kGarbage, right = kGarbage;  // both kGarbage: a leaf
    std::uint32_t call = 0, rank = 0;
    std::uint64_t index = 0;
    std::uint32_t leaves = 0;

    bool operator==(const Node&) const = default;
  };
  static constexpr std::size_t kFirstTable = 1024;

  Term add(const Node& node);
  static std::size_t hash(const Node& node);

  std::vector<Node> nodes_;
  std::vector<Term> table_;  // by hash, open addressing, at most half full: looked up for every element that is summed
};

}  // namespace xylem::verify

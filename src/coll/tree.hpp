// Rank arithmetic of binary trees: who is whose parent and child. No I/O.
//
// The in-order binary tree over positions 1 ... n: its root is the largest power of two p <= n; positions below p form a
// perfect tree on the left, those above p the same kind of tree, built again, on the right. Odd positions are leaves.
//
// Two such trees, the second with all positions moved on by one, have no inner node in common: each rank sends at most two
// halves of the data and receives at most two (Sanders, Speck, Traeff, "Two-tree algorithms for full bandwidth broadcast,
// reduction and scan", 2009).
#pragma once

#include "exec/platform.hpp"

namespace xylem::coll {

struct TreeNode {
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  std::uint32_t parent = kNone;  // position; kNone at the root of the tree
  std::uint32_t left = kNone;
  std::uint32_t right = kNone;
};

XYLEM_HD inline std::uint32_t power_of_two_below(std::uint32_t value) {
  std::uint32_t power = 1;
  while (power <= value / 2) power *= 2;
  return power;
}

// The node at `position` (1 ... size) of the in-order tree over `size` >= 1 positions.
XYLEM_HD inline TreeNode in_order_node(std::uint32_t size, std::uint32_t position) {
  TreeNode node;
  std::uint32_t below = 0;  // positions left of the subtree that we are in
  std::uint32_t length = size;
  for (;;) {
    const std::uint32_t half = power_of_two_below(length);
    const std::uint32_t here = below + half;
    if (position == here) {
      if (half > 1) node.left = below + half / 2;
      if (length > half) node.right = here + power_of_two_below(length - half);
      return node;
    }
    node.parent = here;
    if (position < here) {
      length = half - 1;
    } else {
      below = here;
      length -= half;
    }
  }
}

// The position of the root of tree `which` (0 or 1) of a pair.
XYLEM_HD inline std::uint32_t double_tree_root(std::uint32_t size, std::uint32_t which) {
  const std::uint32_t top = power_of_two_below(size);
  return which == 0 ? top : top == 1 ? size : top - 1;
}

// Position `position` in tree `which` (0 or 1) of a pair over the same positions: the neighbours as positions of the pair.
XYLEM_HD inline TreeNode double_tree_node(std::uint32_t size, std::uint32_t position, std::uint32_t which) {
  if (which == 0) return in_order_node(size, position);
  const auto forward = [size](std::uint32_t at) { return at == size ? 1 : at + 1; };
  const auto back = [size](std::uint32_t at) { return at == TreeNode::kNone ? at : at == 1 ? size : at - 1; };
  TreeNode node = in_order_node(size, forward(position));
  node.parent = back(node.parent);
  node.left = back(node.left);
  node.right = back(node.right);
  return node;
}

}  // namespace xylem::coll

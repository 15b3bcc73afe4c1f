// This rank's neighbours in one binary tree over a group: the in-order tree of coll/tree.hpp, turned so that a given member
// is its root.
#pragma once

#include "coll/args.hpp"
#include "coll/tree.hpp"
#include "exec/lane.hpp"

namespace xylem::coll {

// Positions are places rotated, so that `root_place` has the position of the tree's root.
class BinaryTree {
 public:
  BinaryTree() = default;
  XYLEM_HD BinaryTree(const Group& group, std::uint32_t root_place) {
    const std::uint32_t top = power_of_two_below(group.size);
    const auto position_of = [&](std::uint32_t place) {
      return (place + group.size - root_place + top - 1) % group.size + 1;
    };
    const auto rank_at = [&](std::uint32_t position) {
      return group.rank((position + root_place + group.size - top) % group.size);
    };
    const TreeNode node = in_order_node(group.size, position_of(group.place));
    is_root_ = node.parent == TreeNode::kNone;
    if (!is_root_) parent_ = rank_at(node.parent);
    if (node.left != TreeNode::kNone) children_.add(rank_at(node.left));
    if (node.right != TreeNode::kNone) children_.add(rank_at(node.right));
  }

  XYLEM_HD bool is_root() const { return is_root_; }
  XYLEM_HD std::uint32_t parent() const { return parent_; }
  XYLEM_HD const exec::Peers& children() const { return children_; }

 private:
  bool is_root_ = true;
  std::uint32_t parent_ = 0;
  exec::Peers children_;
};

}  // namespace xylem::coll

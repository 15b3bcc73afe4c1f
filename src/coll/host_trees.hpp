// Double binary trees of hosts, for several hosts with as many ranks each: the pair of trees of coll/tree.hpp over the hosts,
// and in every host a chain of its ranks. A chunk enters and leaves a host once for each edge of its tree, however many ranks
// there are. The edges of a host end at two of its ranks, which share the work of the network:
//   balanced  the first rank has the parent and one child host, the second has the other child host
//   split     the first rank has the parent, the second has both child hosts
// and so on along the chain, which is the same for both trees. With H hosts of M ranks, and N bytes:
//   bcast, reduce   log2 H hops between hosts (in a split host one more between two ranks each) and M - 1 along a chain
//   allreduce       a reduce and a bcast
// At most N sent and N received per rank and direction. Latency log2 H hops of the network and M - 1 of a host per direction.
// For large messages between hosts. (The tree patterns of NCCL: Jeaugey, "Massively scale your deep learning training with
// NCCL 2.4", 2019. The pair of trees: Sanders, Speck, Traeff, 2009.)
#pragma once

#include "coll/double_binary_tree.hpp"

namespace xylem::coll {

enum class TreePlacement : std::uint8_t { balanced, split };

template <TreePlacement kPlacement>
class HostTrees : public TreePair {
 public:
  static constexpr const char* name = kPlacement == TreePlacement::balanced ? "balanced_host_tree" : "split_host_tree";
  static constexpr Traits traits = {.channels = true, .even_hosts = true};

  XYLEM_HD HostTrees(const Args& args, std::uint32_t root_rank)
      : all_(args.all), members_(args.host.size), hosts_(all_.size / members_), root_place_(all_.place_of(root_rank)) {
    const std::uint32_t root_host = root_place_ / members_, host = all_.place / members_;
    const std::uint32_t distance = (host + hosts_ - root_host) % hosts_;
    is_root_ = all_.place == root_place_;
    for (std::uint32_t which = 0; which < 2; ++which) set(which, distance, position(distance));
  }

  // A balanced host turns every other way from one rank to the next, a split one each. The first rank of a balanced host has
  // a child in every tree and two in one of them, that of a split host two in each.
  static Way way(const Workload& work) {
    const double far = work.hosts == 1 ? 0 : log2_up(work.hosts - 1) + 1;
    if (work.ranks_per_host == 1) return {.far = far};
    const bool balanced = kPlacement == TreePlacement::balanced;
    return {.far = far, .near = (balanced ? far / 2 : far) + work.ranks_per_host - 1, .children = balanced ? 1.5 : 2};
  }

 private:
  // Hosts are counted from the root's, the ranks of a host along its chain from where the parent comes in.
  XYLEM_HD std::uint32_t start(std::uint32_t distance) const { return distance == 0 ? root_place_ % members_ : 0; }
  XYLEM_HD std::uint32_t position(std::uint32_t distance) const {
    return (all_.place % members_ + members_ - start(distance)) % members_;
  }
  XYLEM_HD std::uint32_t rank(std::uint32_t distance, std::uint32_t position) const {
    const std::uint32_t host = (root_place_ / members_ + distance) % hosts_;
    return all_.rank(host * members_ + (position + start(distance)) % members_);
  }

  // Which position of a host has the edge to its first or second child host.
  XYLEM_HD std::uint32_t edge_at(std::uint32_t child) const {
    if (members_ == 1) return 0;
    return kPlacement == TreePlacement::balanced ? child : 1;
  }

  // The tree's hosts: the root's stands above the pair's tree over the others.
  XYLEM_HD TreeNode host_node(std::uint32_t which, std::uint32_t distance) const {
    TreeNode node;
    if (hosts_ == 1) return node;
    if (distance != 0) {
      node = double_tree_node(hosts_ - 1, distance, which);
      if (node.parent == TreeNode::kNone) node.parent = 0;
    } else {
      node.left = double_tree_root(hosts_ - 1, which);
    }
    return node;
  }

  XYLEM_HD void set(std::uint32_t which, std::uint32_t distance, std::uint32_t position) {
    const bool split = kPlacement == TreePlacement::split;
    const TreeNode node = host_node(which, distance);
    exec::Peers& children = children_[which];
    // The ranks of a host keep step: all of them are early, or none.
    leaf_[which] = distance != 0 && node.left == TreeNode::kNone && node.right == TreeNode::kNone;
    if (node.left != TreeNode::kNone && position == edge_at(0)) children.add(rank(node.left, 0));
    if (node.right != TreeNode::kNone && position == edge_at(1)) children.add(rank(node.right, 0));
    // Along the chain; in a split host it goes past the second rank, which has two children already.
    if (split && position == 0 && members_ > 1) children.add(rank(distance, 1));
    const std::uint32_t next = split && position == 0 ? 2 : position + 1;
    if (next < members_ && !(split && position == 1)) children.add(rank(distance, next));

    if (position != 0) {
      parent_[which] = rank(distance, split && position == 2 ? 0 : position - 1);
    } else if (distance != 0) {
      const bool first = host_node(which, node.parent).left == distance;
      parent_[which] = rank(node.parent, edge_at(first ? 0 : 1));
    }
  }

  const Group& all_;
  std::uint32_t members_, hosts_, root_place_;
};

using BalancedTrees = HostTrees<TreePlacement::balanced>;
using SplitHostTrees = HostTrees<TreePlacement::split>;

using BalancedTreeAllreduce = TreePairAllreduce<BalancedTrees>;
using BalancedTreeReduce = TreePairReduce<BalancedTrees>;
using BalancedTreeBcast = TreePairBcast<BalancedTrees>;
using SplitHostTreeAllreduce = TreePairAllreduce<SplitHostTrees>;
using SplitHostTreeReduce = TreePairReduce<SplitHostTrees>;
using SplitHostTreeBcast = TreePairBcast<SplitHostTrees>;

}  // namespace xylem::coll

// Double binary tree algorithms: even chunks go through one tree, odd chunks through another whose inner nodes are leaves of
// the first (coll/tree.hpp). The root stands above both. With P ranks and N bytes:
//   bcast, reduce   log2 P + 1 hops, at most N sent and N received per rank
//   allreduce       a reduce and a bcast: 2 log2 P + 2 hops, at most 2N sent and 2N received per rank
// Latency as many hops. Chunks follow each other in a pipeline. For middle and large messages. The trees may also be trees of
// hosts, see coll/host_trees.hpp. (Sanders, Speck, Traeff, "Two-tree algorithms for full bandwidth broadcast, reduction and
// scan", 2009.)
#pragma once

#include "coll/args.hpp"
#include "coll/collective.hpp"
#include "coll/traits.hpp"
#include "coll/tree.hpp"
#include "exec/lane.hpp"

namespace xylem::coll {

// A rank's neighbours in two trees with one root: ranks of the communicator. How they are set is up to who derives from it.
class TreePair {
 public:
  XYLEM_HD bool is_root() const { return is_root_; }
  XYLEM_HD std::uint32_t parent(std::size_t chunk) const { return parent_[chunk % 2]; }
  XYLEM_HD const exec::Peers& children(std::size_t chunk) const { return children_[chunk % 2]; }

  // Every chunk on its way to the root.
  template <class Lane>
  XYLEM_HD void reduce(Lane& lane, const Args& args) const {
    const std::size_t part = args.chunk_bytes, chunks = divide_up(args.bytes(), part);
    for (std::size_t step = 0; step < chunks + kLead; ++step) {
      const std::size_t chunk = leaf_[step % 2] ? step : step - kLead;
      if (chunk < chunks) up(lane, chunk, args.in(chunk * part, part), args.out(chunk * part, part));
    }
  }

  // Every chunk on its way from the root.
  template <class Lane>
  XYLEM_HD void bcast(Lane& lane, const Args& args) const {
    const std::size_t part = args.chunk_bytes, chunks = divide_up(args.bytes(), part);
    for (std::size_t step = 0; step < chunks + kLead; ++step) {
      const std::size_t chunk = leaf_[step % 2] ? step - kLead : step;
      if (chunk < chunks) down(lane, chunk, args.out(chunk * part, part));
    }
  }

 private:
  // A leaf of a tree sends so many chunks early, and takes what comes so many chunks late: its parent's slots hold them. Else
  // it would wait for its own children in the other tree in between, these for theirs, and one chunk would be under way at a
  // time. Even, so that the chunks of a step are of one tree. Before the first chunk, numbers are past the last.
  static constexpr std::size_t kLead = 4;

  template <class Lane>
  XYLEM_HD void up(Lane& lane, std::size_t chunk, exec::View own, exec::Slice sum) const {
    if (is_root_) {
      lane.recv_reduce_copy(children(chunk), own, sum);
    } else {
      lane.recv_reduce_send(children(chunk), own, parent(chunk));
    }
  }

  template <class Lane>
  XYLEM_HD void down(Lane& lane, std::size_t chunk, exec::Slice data) const {
    if (is_root_) {
      lane.send(data, children(chunk));
    } else {
      lane.recv_copy_send(parent(chunk), data, children(chunk));
    }
  }

 protected:
  exec::Peers children_[2];
  std::uint32_t parent_[2] = {0, 0};
  bool leaf_[2] = {false, false};
  bool is_root_ = true;
};

// Over all ranks. The root's only children are the roots of the trees.
class DoubleTree : public TreePair {
 public:
  static constexpr const char* name = "double_binary_tree";
  static constexpr Traits traits = {.channels = true};

  XYLEM_HD DoubleTree(const Args& args, std::uint32_t root_rank) {
    const Group& group = args.all;
    const std::uint32_t root_place = group.place_of(root_rank);
    const std::uint32_t distance = (group.place + group.size - root_place) % group.size;
    const std::uint32_t others = group.size - 1;
    const auto rank_at = [&](std::uint32_t position) { return group.rank((root_place + position) % group.size); };
    is_root_ = distance == 0;
    for (std::uint32_t which = 0; which < 2; ++which) {
      if (is_root_) {
        children_[which].add(rank_at(double_tree_root(others, which)));
      } else {
        const TreeNode node = double_tree_node(others, distance, which);
        parent_[which] = node.parent == TreeNode::kNone ? root_rank : rank_at(node.parent);
        if (node.left != TreeNode::kNone) children_[which].add(rank_at(node.left));
        if (node.right != TreeNode::kNone) children_[which].add(rank_at(node.right));
        leaf_[which] = children_[which].count == 0;
      }
    }
  }

  // Where hosts have several ranks, each of them is left and entered at several places.
  static Way way(const Workload& work) {
    return {.far = log2_up(work.ranks - 1) + 1, .crossings = work.hosts > 1 && work.ranks_per_host > 1 ? 2.0 : 1.0};
  }
};

// A rank is an inner node of one of the trees, and a leaf of the other.
template <class Trees>
double tree_reduce_cost(const Workload& work) {
  const Way way = Trees::way(work);
  return work.along(
      way, way.children * (work.channel.per_byte - work.copy_per_byte + work.reduce_per_byte) + work.copy_per_byte / 2);
}
template <class Trees>
double tree_bcast_cost(const Workload& work) {
  const Way way = Trees::way(work);
  return work.along(way, work.channel.per_byte + way.children * work.copy_per_byte);
}

template <class Trees>
struct TreePairAllreduce {
  static constexpr auto collective = Collective::allreduce;
  static constexpr const char* name = Trees::name;
  static constexpr Traits traits = Trees::traits;

  static double cost(const Workload& work) { return tree_reduce_cost<Trees>(work) + tree_bcast_cost<Trees>(work); }

  template <class Lane>
  static XYLEM_HD void run(Lane& lane, const Args& args) {
    const Trees trees(args, args.all.rank(0));
    trees.reduce(lane, args);
    trees.bcast(lane, args);
  }
};

template <class Trees>
struct TreePairReduce {
  static constexpr auto collective = Collective::reduce;
  static constexpr const char* name = Trees::name;
  static constexpr Traits traits = Trees::traits;

  static double cost(const Workload& work) { return tree_reduce_cost<Trees>(work); }

  template <class Lane>
  static XYLEM_HD void run(Lane& lane, const Args& args) {
    Trees(args, args.root).reduce(lane, args);
  }
};

template <class Trees>
struct TreePairBcast {
  static constexpr auto collective = Collective::bcast;
  static constexpr const char* name = Trees::name;
  static constexpr Traits traits = Trees::traits;

  static double cost(const Workload& work) { return tree_bcast_cost<Trees>(work); }

  template <class Lane>
  static XYLEM_HD void run(Lane& lane, const Args& args) {
    Trees(args, args.root).bcast(lane, args);
  }
};

using DoubleTreeAllreduce = TreePairAllreduce<DoubleTree>;
using DoubleTreeReduce = TreePairReduce<DoubleTree>;
using DoubleTreeBcast = TreePairBcast<DoubleTree>;

}  // namespace xylem::coll

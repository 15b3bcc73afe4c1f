// Double binary tree algorithms: even chunks go through one tree, odd chunks through another whose inner nodes are leaves of
// the first (coll/tree.hpp). The root stands above both. With P ranks and N bytes:
//   bcast, reduce   log2 P + 1 hops, at most N sent and N received per rank
//   allreduce       2 log2 P + 2 hops, at most 2N sent and 2N received per rank
// Chunks follow each other in a pipeline; the broadcast of a chunk starts when its sum has reached the root, while later
// chunks are still on their way up.
#pragma once

#include "coll/args.hpp"
#include "coll/collective.hpp"
#include "coll/traits.hpp"
#include "coll/tree.hpp"
#include "exec/lane.hpp"

namespace xylem::coll {

// This rank's neighbours in both trees: ranks of the communicator. The root's only children are the roots of the trees.
class DoubleTree {
 public:
  XYLEM_HD DoubleTree(const Group& group, std::uint32_t root_rank)
      : is_root_(group.rank(group.place) == root_rank), height_(in_order_height(group.size - 1)) {
    const std::uint32_t root_place = group.place_of(root_rank);
    const std::uint32_t distance = (group.place + group.size - root_place) % group.size;
    const std::uint32_t others = group.size - 1;
    const auto rank_at = [&](std::uint32_t position) { return group.rank((root_place + position) % group.size); };
    for (std::uint32_t which = 0; which < 2; ++which) {
      if (is_root_) {
        children_[which].add(rank_at(double_tree_root(others, which)));
      } else {
        const TreeNode node = double_tree_node(others, distance, which);
        parent_[which] = node.parent == TreeNode::kNone ? root_rank : rank_at(node.parent);
        if (node.left != TreeNode::kNone) children_[which].add(rank_at(node.left));
        if (node.right != TreeNode::kNone) children_[which].add(rank_at(node.right));
      }
    }
  }

  XYLEM_HD bool is_root() const { return is_root_; }
  XYLEM_HD std::uint32_t parent(std::size_t chunk) const { return parent_[chunk % 2]; }
  XYLEM_HD const exec::Peers& children(std::size_t chunk) const { return children_[chunk % 2]; }
  XYLEM_HD std::uint32_t height() const { return height_; }

  // One chunk on its way to the root.
  template <class Lane>
  XYLEM_HD void up(Lane& lane, std::size_t chunk, exec::View own, exec::Slice sum) const {
    if (is_root_) {
      lane.recv_reduce_copy(children(chunk), own, sum);
    } else {
      lane.recv_reduce_send(children(chunk), own, parent(chunk));
    }
  }

  // One chunk on its way from the root.
  template <class Lane>
  XYLEM_HD void down(Lane& lane, std::size_t chunk, exec::Slice data) const {
    if (is_root_) {
      lane.send(data, children(chunk));
    } else {
      lane.recv_copy_send(parent(chunk), data, children(chunk));
    }
  }

 private:
  exec::Peers children_[2];
  std::uint32_t parent_[2] = {0, 0};
  bool is_root_;
  std::uint32_t height_;
};

struct DoubleTreeAllreduce {
  static constexpr auto collective = Collective::allreduce;
  static constexpr const char* name = "double_binary_tree";
  static constexpr Traits traits = {.board = false, .channels = true, .one_host_only = false};

  static double cost(const Workload& work) {
    return pipeline(2 * log2_up(work.ranks) + 1, work.step().latency, 2 * work.step().per_byte + work.reduce_per_byte,
                    work.bytes, work.chunk_bytes);
  }

  template <class Lane>
  static XYLEM_HD void run(Lane& lane, const Args& args) {
    const DoubleTree tree(args.all, args.all.rank(0));
    const std::size_t part = args.chunk_bytes;
    const std::size_t chunks = divide_up(args.bytes(), part);
    // How many chunks the sum is ahead of the broadcast: about the way of a chunk to the root.
    const std::size_t lag = tree.height() + 1;
    for (std::size_t step = 0; step < chunks + lag; ++step) {
      if (step < chunks) tree.up(lane, step, args.in(step * part, part), args.out(step * part, part));
      if (step >= lag) tree.down(lane, step - lag, args.out((step - lag) * part, part));
    }
  }
};

struct DoubleTreeReduce {
  static constexpr auto collective = Collective::reduce;
  static constexpr const char* name = "double_binary_tree";
  static constexpr Traits traits = {.board = false, .channels = true, .one_host_only = false};

  static double cost(const Workload& work) {
    return pipeline(log2_up(work.ranks) + 1, work.step().latency, work.step().per_byte + work.reduce_per_byte, work.bytes,
                    work.chunk_bytes);
  }

  template <class Lane>
  static XYLEM_HD void run(Lane& lane, const Args& args) {
    const DoubleTree tree(args.all, args.root);
    const std::size_t part = args.chunk_bytes;
    for (std::size_t base = 0, chunk = 0; base < args.bytes(); base += part, ++chunk) {
      tree.up(lane, chunk, args.in(base, part), args.out(base, part));
    }
  }
};

struct DoubleTreeBcast {
  static constexpr auto collective = Collective::bcast;
  static constexpr const char* name = "double_binary_tree";
  static constexpr Traits traits = {.board = false, .channels = true, .one_host_only = false};

  static double cost(const Workload& work) {
    return pipeline(log2_up(work.ranks) + 1, work.step().latency, work.step().per_byte, work.bytes, work.chunk_bytes);
  }

  template <class Lane>
  static XYLEM_HD void run(Lane& lane, const Args& args) {
    const DoubleTree tree(args.all, args.root);
    const std::size_t part = args.chunk_bytes;
    for (std::size_t base = 0, chunk = 0; base < args.bytes(); base += part, ++chunk) {
      tree.down(lane, chunk, args.out(base, part));
    }
  }
};

}  // namespace xylem::coll

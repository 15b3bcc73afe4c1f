// Split tree allreduce: one binary tree over all ranks, the Team of every rank but the root split in two halves that run at
// the same time: one reduces chunks towards the root, the other broadcasts finished chunks away from it. With P ranks and N
// bytes: 2 log2 P hops; an inner rank sends N up and 2N down; latency 2 log2 P hops. Both directions of each link are busy at
// once, with no lag to choose. For middle and large messages. (Source: runTreeSplit in NCCL's all_reduce.h, where a block's
// warps are divided between the two directions.)
#pragma once

#include "coll/args.hpp"
#include "coll/binary_tree.hpp"
#include "coll/collective.hpp"
#include "coll/traits.hpp"
#include "exec/lane.hpp"

namespace xylem::coll {

struct SplitTreeAllreduce {
  static constexpr auto collective = Collective::allreduce;
  static constexpr const char* name = "split_tree";
  static constexpr Traits traits = {.board = false, .channels = true, .one_host_only = false};

  static double cost(const Workload& work) {
    const double children = work.ranks < 3 ? 1 : 2, parents = work.ranks < 4 ? 0 : 1;
    const double beyond = work.ranks_per_host == 1 ? 0 : work.beyond(work.channel);
    const double on_core =
        children * (work.reduce_per_byte + beyond + work.copy_per_byte) + parents * (beyond + work.copy_per_byte);
    const double on_wire = work.hosts == 1 ? 0 : (children + parents) * work.network.per_byte;
    const double first = work.bytes < work.chunk_bytes ? work.bytes : work.chunk_bytes;
    const Link hop = work.step();
    return 2 * log2_up(work.ranks) * (hop.latency + first * (hop.per_byte + work.copy_per_byte)) +
           (work.bytes - first) * (on_core > on_wire ? on_core : on_wire);
  }

  template <class Lane>
  static XYLEM_HD void run(Lane& lane, const Args& args) {
    const BinaryTree tree(args.all, 0);
    const std::size_t part = args.chunk_bytes;
    const auto for_each_chunk = [&](auto&& body) {
      for (std::size_t base = 0; base < args.bytes(); base += part) body(args.in(base, part), args.out(base, part));
    };
    if (tree.is_root()) {
      for_each_chunk(
          [&](exec::View own, exec::Slice out) { lane.recv_reduce_copy_send(tree.children(), own, out, tree.children()); });
      return;
    }
    // In place, the second half overwrites a chunk only after the first has sent it: the root's sum needs it.
    lane.split(
        [&](Lane& half) {
          for_each_chunk([&](exec::View own, exec::Slice) { half.recv_reduce_send(tree.children(), own, tree.parent()); });
        },
        [&](Lane& half) {
          for_each_chunk([&](exec::View, exec::Slice out) { half.recv_copy_send(tree.parent(), out, tree.children()); });
        });
  }
};

}  // namespace xylem::coll

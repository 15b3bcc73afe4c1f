// k-nomial trees: with radix k a rank passes on to k - 1 others at each of log_k P levels, so the tree is flatter, and its
// inner ranks busier, the larger k is. One text for every radix; 2 is the binomial tree. With P ranks and N bytes (in the
// blocks of all ranks):
//   bcast            log_k P hops, the root sends (k-1) log_k P N
//   gather, scatter  log_k P hops, a rank passes on the blocks of its subtree in one message; the root moves (P-1)/P N
// Latency log_k P hops and k - 2 times the overhead of a message each. For small messages of many ranks. (Binomial trees:
// Thakur, Rabenseifner, Gropp, 2005; k-nomial: Bar-Noy and Kipnis, "Designing broadcasting algorithms in the postal model",
// 1994.)
#pragma once

#include "coll/args.hpp"
#include "coll/collective.hpp"
#include "coll/traits.hpp"
#include "exec/lane.hpp"

namespace xylem::coll {

// This rank's neighbours in the tree over a group. Positions are places counted from the root. The parent of a position has 0
// in place of its lowest digit to the base of the radix that is not 0; the subtree of a position is a row of positions from
// it on.
class KnomialTree {
 public:
  XYLEM_HD KnomialTree(const Group& group, std::uint32_t root_rank, std::uint32_t radix)
      : group_(group),
        radix_(radix),
        root_(group.place_of(root_rank)),
        position_((group.place + group.size - root_) % group.size) {
    while (reach_ < group_.size && position_ / reach_ % radix_ == 0) reach_ *= radix_;
  }

  XYLEM_HD bool is_root() const { return position_ == 0; }
  XYLEM_HD std::uint32_t parent() const { return rank_at(position_ - position_ / reach_ % radix_ * reach_); }
  // Positions in the subtree of this one.
  XYLEM_HD std::uint32_t size() const { return size_at(0, reach_); }
  // The rank that is so far after this one.
  XYLEM_HD std::uint32_t rank_after(std::uint32_t distance) const { return rank_at(position_ + distance); }

  // visit(distance, size) for each child: how far after this position it is, and the size of its subtree.
  template <class Visit>
  XYLEM_HD void nearest_first(Visit visit) const {
    for (std::uint32_t width = 1; width < reach_; width *= radix_) {
      for (std::uint32_t distance = width; distance < radix_ * width && has(distance); distance += width) {
        visit(distance, size_at(distance, width));
      }
    }
  }
  template <class Visit>
  XYLEM_HD void farthest_first(Visit visit) const {
    for (std::uint32_t width = reach_ / radix_; width != 0; width /= radix_) {
      for (std::uint32_t distance = width; distance < radix_ * width && has(distance); distance += width) {
        visit(distance, size_at(distance, width));
      }
    }
  }

  // The largest subtree of a child of the root.
  static XYLEM_HD std::uint32_t widest(std::uint32_t ranks, std::uint32_t radix) {
    std::uint32_t width = 1;
    while (width * radix < ranks) width *= radix;
    return width;
  }

 private:
  XYLEM_HD bool has(std::uint32_t distance) const { return distance < group_.size - position_; }
  XYLEM_HD std::uint32_t size_at(std::uint32_t distance, std::uint32_t width) const {
    const std::uint32_t after = group_.size - position_ - distance;
    return width < after ? width : after;
  }
  XYLEM_HD std::uint32_t rank_at(std::uint32_t position) const {
    return group_.rank((position + root_) % group_.size);  // NOLINT(clang-analyzer-core.DivideZero): no group is empty
  }

  const Group& group_;
  std::uint32_t radix_, root_, position_;
  std::uint32_t reach_ = 1;  // the lowest digit of the position that is not 0 stands for so much; past all ranks at the root
};

template <std::uint32_t kRadix>
constexpr const char* knomial_name() {
  return kRadix == 2 ? "binomial" : kRadix == 4 ? "knomial_4" : "knomial_8";
}

// A vector from or to the root. Chunks follow each other as fast as the root, which spends so much on a byte for each child
// inside its host and outside, and its network can.
inline double knomial_stream(const Workload& work, std::uint32_t radix, double inside_per_byte, double outside_per_byte) {
  const double first = work.bytes < work.chunk_bytes ? work.bytes : work.chunk_bytes;
  double on_core = 0, on_wire = 0;
  const double path = work.for_distances(work.ranks, radix, [&](double, double children, bool inside) {
    const Link link = inside ? work.channel : work.network;
    const double own = inside ? inside_per_byte : outside_per_byte;
    on_core += children * own;
    on_wire += inside ? 0 : children * link.per_byte;
    return link.latency + (children - 1) * (link.overhead + first * own) +
           first * (own + (inside ? work.beyond(link) : link.per_byte));
  });
  return path + first * work.copy_per_byte + (work.bytes - first) * (on_core > on_wire ? on_core : on_wire);
}

// A block for each rank, in so many rounds that follow each other: at each level those of the subtrees of all children.
inline double knomial_blocks(const Workload& work, std::uint32_t radix, double rounds) {
  double on_core = 0, on_wire = 0;
  const double path = work.for_distances(work.ranks, radix, [&](double distance, double children, bool inside) {
    const Link link = inside ? work.channel : work.network;
    const double most = children * distance, there = work.ranks - distance;
    const double bytes = (most < there ? most : there) * work.bytes / work.ranks;
    on_core += bytes * (inside ? work.board.per_byte + work.beyond(link) : work.copy_per_byte);
    on_wire += inside ? 0 : bytes * link.per_byte;
    return link.latency + (rounds * children - 1) * link.overhead;
  });
  const bool core_is_slower = on_core > on_wire;
  return path + (core_is_slower ? on_core + on_wire / rounds : on_wire + on_core / rounds);
}

template <std::uint32_t kRadix>
struct KnomialBcast {
  static constexpr auto collective = Collective::bcast;
  static constexpr const char* name = knomial_name<kRadix>();
  static constexpr Traits traits = {.channels = true};

  static double cost(const Workload& work) { return knomial_stream(work, kRadix, work.board.per_byte, work.copy_per_byte); }

  template <class Lane>
  static XYLEM_HD void run(Lane& lane, const Args& args) {
    const KnomialTree tree(args.all, args.root, kRadix);
    for (std::size_t base = 0; base < args.bytes(); base += args.chunk_bytes) {
      const exec::Slice data = args.out(base, args.chunk_bytes);
      const auto pass_on = [&](exec::View chunk) {
        tree.farthest_first([&](std::uint32_t distance, std::uint32_t) { lane.send(chunk, tree.rank_after(distance)); });
      };
      if (tree.is_root()) {
        pass_on(data);
      } else {
        lane.recv_with(tree.parent(), data.bytes, [&](exec::View chunk) {
          pass_on(chunk);
          lane.copy(data, chunk);
        });
      }
    }
  }
};

// A message holds a piece of the block of every rank of a subtree, in the order of positions.
template <std::uint32_t kRadix>
XYLEM_HD std::size_t knomial_piece(const Args& args) {
  return args.chunk_part(KnomialTree::widest(args.ranks, kRadix));
}
template <std::uint32_t kRadix>
double knomial_blocks_cost(const Workload& work) {
  const double block = work.bytes / work.ranks, piece = work.chunk_bytes / KnomialTree::widest(work.ranks, kRadix);
  return knomial_blocks(work, kRadix, block < piece ? 1 : block / piece) + block * work.copy_per_byte;
}

template <std::uint32_t kRadix>
struct KnomialGather {
  static constexpr auto collective = Collective::gather;
  static constexpr const char* name = knomial_name<kRadix>();
  static constexpr Traits traits = {.channels = true, .part_per_rank = true};

  static double cost(const Workload& work) { return knomial_blocks_cost<kRadix>(work); }

  // What the children send is put together in the slot to the parent.
  template <class Lane>
  static XYLEM_HD void run(Lane& lane, const Args& args) {
    const KnomialTree tree(args.all, args.root, kRadix);
    const std::size_t piece = knomial_piece<kRadix>(args);
    for (std::size_t base = 0; base < args.sent.length; base += piece) {
      const exec::View own = args.in(base, piece);
      if (tree.is_root()) {
        lane.keep(args.out_block(args.rank, base, piece), own);
        tree.nearest_first([&](std::uint32_t distance, std::uint32_t size) {
          lane.recv_blocks(tree.rank_after(distance), size,
                           [&](std::uint32_t i) { return args.out_block(tree.rank_after(distance + i), base, piece); });
        });
      } else {
        lane.send_with(tree.parent(), tree.size() * own.bytes, [&](exec::Slice slot) {
          lane.copy({slot.data, own.bytes}, own);
          tree.nearest_first([&](std::uint32_t distance, std::uint32_t size) {
            lane.recv(tree.rank_after(distance), {slot.data + distance * own.bytes, size * own.bytes});
          });
        });
      }
    }
  }
};

template <std::uint32_t kRadix>
struct KnomialScatter {
  static constexpr auto collective = Collective::scatter;
  static constexpr const char* name = knomial_name<kRadix>();
  static constexpr Traits traits = {.channels = true, .part_per_rank = true};

  static double cost(const Workload& work) { return knomial_blocks_cost<kRadix>(work); }

  template <class Lane>
  static XYLEM_HD void run(Lane& lane, const Args& args) {
    const KnomialTree tree(args.all, args.root, kRadix);
    const std::size_t piece = knomial_piece<kRadix>(args);
    for (std::size_t base = 0; base < args.received.length; base += piece) {
      const exec::Slice own = args.out(base, piece);
      if (tree.is_root()) {
        tree.farthest_first([&](std::uint32_t distance, std::uint32_t size) {
          lane.send_blocks(tree.rank_after(distance), size,
                           [&](std::uint32_t i) { return args.in_block(tree.rank_after(distance + i), base, piece); });
        });
        lane.keep(own, args.in_block(args.rank, base, piece));
      } else {
        lane.recv_with(tree.parent(), tree.size() * own.bytes, [&](exec::View slot) {
          tree.farthest_first([&](std::uint32_t distance, std::uint32_t size) {
            lane.send({slot.data + distance * own.bytes, size * own.bytes}, tree.rank_after(distance));
          });
          lane.copy(own, {slot.data, own.bytes});
        });
      }
    }
  }
};

}  // namespace xylem::coll

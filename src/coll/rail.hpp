// Rail algorithms, for several hosts with as many ranks each: the ranks at the same place of every host form a rail. Inside
// the hosts, over the board, each rank gets its share; the rails carry all shares between the hosts at the same time; inside
// the hosts everybody gets the rest. So every rank drives its part of the network, and nothing crosses it twice. With P ranks
// on H hosts, M = P/H ranks each, L levels inside a host (coll/levels.hpp) and N bytes (of the whole vector):
//   allreduce       2 L hops inside a host and 2 log2 H along a rail (log2 H for small shares), at most 2 (H-1)/H N/M sent
//                   per rank. Shares are summed level by level: in a core complex each rank gets its part of every share,
//                   and only sums leave it; where M is a power of two, they are folded along the canonical tree
//   reduce_scatter  1 hop inside a host for each host and 1 step along a rail, (H-1)/H N/M sent per rank
//   allgather       1 step along a rail and 1 hop inside a host for each host, (H-1)/H N/M sent per rank
// Latency as many hops and steps. For middle and large messages. (Bayatpour, Chakraborty, Subramoni, Lu, Panda, "Scalable
// reduction collectives with data partitioning-based multi-leader design", 2017.)
#pragma once

#include "coll/args.hpp"
#include "coll/collective.hpp"
#include "coll/flat.hpp"
#include "coll/rabenseifner.hpp"
#include "coll/recursive_doubling.hpp"
#include "coll/traits.hpp"

namespace xylem::coll {

// Who is where: ranks of a host are side by side in Args::all, in the order of the board.
class Rails {
 public:
  XYLEM_HD explicit Rails(const Args& args)
      : all_(args.all), members_(args.host.size), hosts_(args.all.size / members_), host_(args.all.place / members_) {}

  XYLEM_HD std::uint32_t members() const { return members_; }  // of each host
  XYLEM_HD std::uint32_t hosts() const { return hosts_; }
  XYLEM_HD std::uint32_t place() const { return all_.place % members_; }
  // Hosts are counted from the own one.
  XYLEM_HD std::uint32_t rank(std::uint32_t host, std::uint32_t place) const {
    // NOLINTNEXTLINE(clang-analyzer-core.DivideZero): a rank's host is there
    return all_.rank((host_ + host) % hosts_ * members_ + place);
  }
  XYLEM_HD std::uint32_t along(std::uint32_t host) const { return rank(host, place()); }
  XYLEM_HD Group own() const { return {all_.members, host_, hosts_, place(), members_}; }

 private:
  const Group& all_;
  std::uint32_t members_, hosts_, host_;
};

// Inside a host every rank writes so many bytes on the board, and reads the vector or all blocks there.
inline double rail_board(const Workload& work, double epochs, double written) {
  if (work.ranks_per_host == 1) return written * work.copy_per_byte;
  const double read = work.bytes * (work.ranks_per_host - 1) / work.ranks_per_host;
  return epochs * work.board.latency + (written + read) * work.board.per_byte;
}
// Along a rail every rank sends one message to each other host at a time, and all of its share that is for them.
inline double rail_messages(const Workload& work, double rounds, double work_per_byte) {
  const double share = work.bytes / work.ranks_per_host * (work.hosts - 1) / work.hosts;
  return rounds * (work.network.latency + work.burst(work.hosts - 1)) +
         share * (work.copy_per_byte + work.sharing() * work.network.per_byte + work_per_byte);
}
constexpr Traits rail_traits(SumOrder sums, bool levels = false) {
  return {.board = true, .channels = true, .levels = levels, .part_per_rank = true, .even_hosts = true, .sums = sums};
}

struct RailAllreduce {
  static constexpr auto collective = Collective::allreduce;
  static constexpr const char* name = "rail";
  static constexpr Traits traits = rail_traits(SumOrder::canonical_on_hosts, true);

  static double cost(const Workload& work) {
    const double share = work.bytes / work.ranks_per_host;
    const auto steps = [&](auto bytes_at, double work_per_byte) {
      double seconds = 0;
      for (std::uint32_t distance = 1; distance <= work.hosts / 2; distance *= 2) {
        seconds += work.exchange(bytes_at(distance), false, work_per_byte);
      }
      return seconds;
    };
    const auto halved = [&](double distance) { return share / (2 * distance); };
    const double across = work.hosts == 1 ? 0
                          : share <= work.chunk_bytes
                              ? steps([&](double) { return share; }, work.reduce_per_byte)
                              : steps(halved, work.reduce_per_byte) + steps(halved, work.copy_per_byte);
    const bool pairs = (work.hosts & (work.hosts - 1)) != 0;
    return rail_board(work, work.rounds(1), work.bytes) + work.bytes * work.reduce_per_byte + across +
           (pairs ? 2 * work.exchange(share, false, work.copy_per_byte) : 0) +
           rail_board(work, work.rounds(work.ranks_per_host), share);
  }

  static XYLEM_HD std::size_t scratch_bytes(const Args& args) { return tree_memory(args, args.chunk_part(args.host.size)); }

  template <class Lane>
  static XYLEM_HD void run(Lane& lane, const Args& args) {
    const Rails rails(args);
    const std::size_t share = even_part(args.bytes(), rails.members(), args.element_bytes);
    const Args mine = args.of_sum(rails.place() * share, share);
    reduce_to_shares(lane, args, rails, share);
    sum_along(lane, mine, rails.own());
    spread_shares(lane, args, rails, share);
  }

 private:
  // The own share of `output` <- its sum over the host. After a level with groups of W ranks a rank has the sums over its
  // group of every Wth share, the own one among them.
  template <class Lane>
  XYLEM_HD_CALLED static void reduce_to_shares(Lane& lane, const Args& args, const Rails& rails, std::size_t share) {
    const std::size_t part = args.chunk_part(rails.members());
    for (std::size_t base = 0; base < share; base += part) {
      for (std::uint32_t number = 0; number <= args.inside.count; ++number) {
        reduce_on_level(lane, args, rails, number, {share, base, smaller(part, share - base)});
        lane.finish(args.inside.count == 0);
      }
    }
  }

  // A piece of every share.
  struct Piece {
    std::size_t share, base, width;

    XYLEM_HD std::size_t of(std::uint32_t number) const { return number * share + base; }
  };

  template <class Lane>
  XYLEM_HD_CALLED static void reduce_on_level(Lane& lane, const Args& args, const Rails& rails, std::uint32_t number,
                                              const Piece& piece) {
    const Level level = args.level(number);
    const Group members = level.peers(rails.place(), rails.place());
    const std::uint32_t first = rails.place() % level.below(), shown = rails.members() / level.below();
    const auto own = [&](std::uint32_t block) {
      const std::size_t at = piece.of(first + block * level.below());
      return number == 0 ? args.in(at, piece.width) : exec::View(args.out(at, piece.width));
    };
    lane.show_blocks(shown, piece.width, own);
    for (std::uint32_t block = members.place; block < shown; block += members.size) {
      // In place, it lies over what has been shown.
      const exec::Slice sum = args.out(piece.of(first + block * level.below()), piece.width);
      fold_along_tree(lane, members, {shown * piece.width, block * piece.width, own(block)}, sum, args.scratch);
    }
  }

  template <class Lane>
  XYLEM_HD_CALLED static void sum_along(Lane& lane, const Args& mine, const Group& rail) {
    if (mine.bytes() <= mine.chunk_bytes) {
      const exec::Slice all = mine.out(0, mine.bytes());
      doubling_sum(lane, Cores(rail), all, all);
    } else {
      rabenseifner_sum(lane, mine, rail);
    }
  }

  // The other shares of `output` <- those of the host's ranks, the way back through the levels.
  template <class Lane>
  XYLEM_HD_CALLED static void spread_shares(Lane& lane, const Args& args, const Rails& rails, std::size_t share) {
    const std::size_t part = args.chunk_part(rails.members() / args.level(0).width());
    for (std::size_t base = 0; base < share; base += part) {
      const std::size_t width = smaller(part, share - base);
      for (std::uint32_t number = args.inside.count + 1; number-- > 0;) {
        const Level level = args.level(number);
        const Group members = level.peers(rails.place(), rails.place());
        const std::uint32_t shown = rails.members() / level.width();
        const auto out = [&](std::uint32_t place, std::uint32_t block) {
          return args.out((place % level.width() + block * level.width()) * share + base, width);
        };
        lane.show_blocks(shown, width, [&](std::uint32_t block) { return exec::View(out(rails.place(), block)); });
        for (std::uint32_t member = 0; member < members.size; ++member) {
          const std::uint32_t place = members.rank(member);
          if (place == rails.place()) continue;
          const exec::View theirs = lane.fetch(place, shown * width);
          for (std::uint32_t block = 0; block < shown; ++block) {
            const exec::Slice to = out(place, block);
            lane.copy(to, {theirs.data + block * width, to.bytes});
          }
        }
        lane.finish(args.inside.count == 0);
      }
    }
  }
};

struct RailReduceScatter {
  static constexpr auto collective = Collective::reduce_scatter_block;
  static constexpr const char* name = "rail";
  static constexpr Traits traits = rail_traits(SumOrder::own);

  static double cost(const Workload& work) {
    if (work.hosts == 1) return FlatReduceScatter::cost(work);
    const double rounds = work.rounds(work.hosts);
    return rail_board(work, rounds * work.hosts, work.bytes) + work.bytes * work.reduce_per_byte +
           rail_messages(work, rounds, work.reduce_per_byte);
  }
  static XYLEM_HD std::size_t scratch_bytes(const Args& args) { return args.chunk_bytes; }

  // What is for another host is summed in the slot that goes there along the own rail.
  template <class Lane>
  static XYLEM_HD void run(Lane& lane, const Args& args) {
    const Rails rails(args);
    const std::size_t part = args.chunk_part(rails.members()), longest = args.sent.longest(args.ranks);
    for (std::size_t base = 0; base < longest; base += part) {
      const std::size_t width = smaller(part, longest - base);
      const exec::Slice out = args.out(base, width), sum{args.scratch, out.bytes};
      for (std::uint32_t host = 0; host < rails.hosts(); ++host) {
        lane.show_blocks(rails.members(), width,
                         [&](std::uint32_t place) { return args.in_block(rails.rank(host, place), base, width); });
        const exec::View own = args.in_block(rails.along(host), base, width);
        const auto fold = [&](exec::Slice to) {
          fold_in_order(lane, args.board(), rails.members(), {rails.members() * width, rails.place() * width, own}, to);
        };
        if (host == 0) {
          fold(sum);
        } else {
          lane.send_with(rails.along(host), own.bytes, fold);
        }
        lane.finish(host == 0 || own.bytes != 0);
      }
      for (std::uint32_t host = rails.hosts() - 1; host != 0; --host) {
        lane.recv_reduce_copy(rails.along(host), sum, sum);
      }
      // In place, it lies over input of this round or of rounds before, all of which has been shown by now.
      lane.keep(out, sum);
    }
  }
};

struct RailAllgather {
  static constexpr auto collective = Collective::allgather;
  static constexpr const char* name = "rail";
  static constexpr Traits traits = rail_traits(SumOrder::own);

  static double cost(const Workload& work) {
    if (work.hosts == 1) return FlatAllgather::cost(work);
    const double rounds = work.rounds(work.ranks);
    return rail_board(work, rounds * work.hosts, work.bytes / work.ranks_per_host) +
           rail_messages(work, rounds, work.copy_per_byte);
  }

  template <class Lane>
  static XYLEM_HD void run(Lane& lane, const Args& args) {
    const Rails rails(args);
    const std::size_t longest = args.received.longest(args.ranks);
    for (std::size_t base = 0; base < longest; base += args.chunk_bytes) {
      const exec::View own = args.in(base, args.chunk_bytes);
      for (std::uint32_t host = 1; host < rails.hosts(); ++host) lane.send(own, rails.along(host));
      for (std::uint32_t host = rails.hosts(); host != 0; --host) collect(lane, args, rails, host, base);
    }
  }

 private:
  // The blocks of a host: the one that comes along the own rail is shown, the others are seen.
  template <class Lane>
  XYLEM_HD_CALLED static void collect(Lane& lane, const Args& args, const Rails& rails, std::uint32_t host,
                                      std::size_t base) {
    const auto block = [&](std::uint32_t place) { return args.out_block(rails.rank(host, place), base, args.chunk_bytes); };
    const exec::Slice carried = block(rails.place());
    if (host == rails.hosts()) {
      lane.keep(carried, args.in(base, args.chunk_bytes));
    } else {
      lane.recv(rails.along(host), carried);
    }
    lane.show(carried);
    for (std::uint32_t place = 0; place < rails.members(); ++place) {
      const exec::View shown = lane.fetch(place, block(place).bytes);
      if (place != rails.place()) lane.copy(block(place), shown);
    }
    lane.finish(true);
  }
};

}  // namespace xylem::coll

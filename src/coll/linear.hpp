// Linear algorithms: every block goes straight from its owner to its reader, all at once. With P ranks and N bytes in the
// blocks of one rank:
//   alltoall  1 step of P - 1 messages, (P-1)/P N sent per rank
//   gather    1 step, N/P sent per rank, the root takes chunks from all in turn
//   scatter   the same from the root
// Latency one hop and P - 1 times the overhead of a message. The least latency where the messages are small, and the only way
// where a rank knows no lengths but its own: nothing is passed on, so blocks may differ. (Thakur, Rabenseifner, Gropp,
// "Optimization of collective communication operations in MPICH", 2005, of alltoall for middle messages.) Long blocks of a
// gather or scatter are lent: their readers, all at once in a scatter, copy them from where they are.
#pragma once

#include "coll/args.hpp"
#include "coll/collective.hpp"
#include "coll/loans.hpp"
#include "coll/traits.hpp"

namespace xylem::coll {

struct LinearAlltoall {
  static constexpr auto collective = Collective::alltoall;
  static constexpr const char* name = "linear";
  static constexpr Traits traits = {.channels = true};

  // Many streams at once do not get the whole of a link.
  static double cost(const Workload& work) {
    return work.rounds(work.ranks) * (work.step().latency + work.burst(work.ranks - 1)) + 1.3 * work.all_to_all();
  }

  template <class Lane>
  static XYLEM_HD void run(Lane& lane, const Args& args) {
    const std::size_t chunk = args.chunk_bytes, sent = args.sent.longest(args.ranks);
    const std::size_t received = args.received.longest(args.ranks), longest = sent > received ? sent : received;
    for (std::size_t base = 0; base < longest; base += chunk) {
      lane.keep(args.out_block(args.rank, base, chunk), args.in_block(args.rank, base, chunk));
      // In place, what comes is put over what has gone.
      for (std::uint32_t step = 1; step < args.ranks; ++step) {
        const std::uint32_t peer = (args.rank + step) % args.ranks;
        lane.send(args.in_block(peer, base, chunk), peer);
      }
      for (std::uint32_t step = 1; step < args.ranks; ++step) {
        const std::uint32_t peer = (args.rank + args.ranks - step) % args.ranks;
        lane.recv(peer, args.out_block(peer, base, chunk));
      }
    }
  }
};

struct LinearGather {
  static constexpr auto collective = Collective::gather;
  static constexpr const char* name = "linear";
  static constexpr Traits traits = {.channels = true, .lends = true};

  static double cost(const Workload& work) {
    const double block = work.bytes / work.ranks;
    if (block >= static_cast<double>(work.loans.one_way))
      return (work.ranks - 1) * work.loan(block) + block * work.copy_per_byte;
    return work.step().latency + work.rounds(work.ranks) * work.burst(work.ranks - 1) +
           work.from_one(work.channel.per_byte, work.copy_per_byte) + work.bytes / work.ranks * work.copy_per_byte;
  }

  template <class Lane>
  static XYLEM_HD void run(Lane& lane, const Args& args) {
    const std::size_t chunk = args.chunk_bytes;
    if (args.rank != args.root) return send_block(lane, args, args.in(0, args.sent.length), args.root);
    const std::size_t longest = args.received.longest(args.ranks);
    const bool borrows = lends_one_way<Lane>(args, longest);
    for (std::size_t base = 0; base < longest; base += chunk) {
      lane.keep(args.out_block(args.rank, base, chunk), args.in(base, chunk));
      for (std::uint32_t step = 1; step < args.ranks; ++step) {
        const std::uint32_t peer = (args.root + step) % args.ranks;
        if (!borrows || !lends_one_way<Lane>(args, args.received.at(peer).length))
          lane.recv(peer, args.out_block(peer, base, chunk));
      }
    }
    for (std::uint32_t step = 1; borrows && step < args.ranks; ++step) {
      const std::uint32_t peer = (args.root + step) % args.ranks;
      const std::size_t length = args.received.at(peer).length;
      if (lends_one_way<Lane>(args, length)) recv_block(lane, args, peer, args.out_block(peer, 0, length));
    }
  }
};

struct LinearScatter {
  static constexpr auto collective = Collective::scatter;
  static constexpr const char* name = "linear";
  static constexpr Traits traits = {.channels = true, .lends = true};

  static double cost(const Workload& work) {
    const double block = work.bytes / work.ranks;
    if (block >= static_cast<double>(work.loans.one_way)) return work.loan(block);
    return work.step().latency + work.rounds(work.ranks) * work.burst(work.ranks - 1) +
           work.from_one(work.board.per_byte, work.copy_per_byte) +
           work.bytes / work.ranks / work.rounds(work.ranks) * work.channel.per_byte;
  }

  template <class Lane>
  static XYLEM_HD void run(Lane& lane, const Args& args) {
    const std::size_t chunk = args.chunk_bytes;
    if (args.rank != args.root) return recv_block(lane, args, args.root, args.out(0, args.received.length));
    const std::size_t longest = args.sent.longest(args.ranks);
    const bool some_lent = lends_one_way<Lane>(args, longest);
    const auto for_lent = [&](auto use) {
      for (std::uint32_t step = 1; some_lent && step < args.ranks; ++step) {
        const std::uint32_t peer = (args.root + step) % args.ranks;
        const std::size_t length = args.sent.at(peer).length;
        if (lends_one_way<Lane>(args, length)) use(args.in_block(peer, 0, length), peer);
      }
    };
    for_lent([&](exec::View block, std::uint32_t peer) { lane.lend(block, peer); });
    for (std::size_t base = 0; base < longest; base += chunk) {
      for (std::uint32_t step = 1; step < args.ranks; ++step) {
        const std::uint32_t peer = (args.root + step) % args.ranks;
        if (!some_lent || !lends_one_way<Lane>(args, args.sent.at(peer).length))
          lane.send(args.in_block(peer, base, chunk), peer);
      }
      lane.keep(args.out(base, chunk), args.in_block(args.rank, base, chunk));
    }
    for_lent([&](exec::View block, std::uint32_t peer) { settle_or_send(lane, args, block, peer); });
  }
};

}  // namespace xylem::coll

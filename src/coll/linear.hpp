// Linear algorithms: every block goes straight from its owner to its reader, all at once. With P ranks and N bytes in the
// blocks of one rank:
//   alltoall  1 step of P - 1 messages, (P-1)/P N sent per rank
//   gather    1 step, N/P sent per rank, the root takes chunks from all in turn
//   scatter   the same from the root
// Latency one hop and P - 1 times the overhead of a message. The least latency where the messages are small, and the only way
// where a rank knows no lengths but its own: nothing is passed on, so blocks may differ. (Thakur, Rabenseifner, Gropp,
// "Optimization of collective communication operations in MPICH", 2005, of alltoall for middle messages.)
#pragma once

#include "coll/args.hpp"
#include "coll/collective.hpp"
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
  static constexpr Traits traits = {.channels = true};

  static double cost(const Workload& work) {
    return work.step().latency + work.rounds(work.ranks) * work.burst(work.ranks - 1) +
           work.from_one(work.channel.per_byte, work.copy_per_byte) + work.bytes / work.ranks * work.copy_per_byte;
  }

  template <class Lane>
  static XYLEM_HD void run(Lane& lane, const Args& args) {
    const std::size_t chunk = args.chunk_bytes;
    if (args.rank != args.root) {
      for (std::size_t base = 0; base < args.sent.length; base += chunk) lane.send(args.in(base, chunk), args.root);
      return;
    }
    const std::size_t longest = args.received.longest(args.ranks);
    for (std::size_t base = 0; base < longest; base += chunk) {
      lane.keep(args.out_block(args.rank, base, chunk), args.in(base, chunk));
      for (std::uint32_t step = 1; step < args.ranks; ++step) {
        const std::uint32_t peer = (args.root + step) % args.ranks;
        lane.recv(peer, args.out_block(peer, base, chunk));
      }
    }
  }
};

struct LinearScatter {
  static constexpr auto collective = Collective::scatter;
  static constexpr const char* name = "linear";
  static constexpr Traits traits = {.channels = true};

  static double cost(const Workload& work) {
    return work.step().latency + work.rounds(work.ranks) * work.burst(work.ranks - 1) +
           work.from_one(work.board.per_byte, work.copy_per_byte) +
           work.bytes / work.ranks / work.rounds(work.ranks) * work.channel.per_byte;
  }

  template <class Lane>
  static XYLEM_HD void run(Lane& lane, const Args& args) {
    const std::size_t chunk = args.chunk_bytes;
    if (args.rank != args.root) {
      for (std::size_t base = 0; base < args.received.length; base += chunk) lane.recv(args.root, args.out(base, chunk));
      return;
    }
    const std::size_t longest = args.sent.longest(args.ranks);
    for (std::size_t base = 0; base < longest; base += chunk) {
      for (std::uint32_t step = 1; step < args.ranks; ++step) {
        const std::uint32_t peer = (args.root + step) % args.ranks;
        lane.send(args.in_block(peer, base, chunk), peer);
      }
      lane.keep(args.out(base, chunk), args.in_block(args.rank, base, chunk));
    }
  }
};

}  // namespace xylem::coll

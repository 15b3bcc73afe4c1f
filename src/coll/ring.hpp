// Ring algorithms. Place p sends to place p + 1 only. With P ranks and N bytes (of the whole vector):
//   allreduce       2(P-1) steps, 2(P-1)/P N sent per rank
//   reduce_scatter  P-1 steps, (P-1)/P N sent per rank
//   allgather       P-1 steps, (P-1)/P N sent per rank
//   bcast, reduce   a chain from or to the root: P-1 hops, N sent per rank, pipelined by chunks
// Latency P-1 or 2(P-1) hops. Bandwidth-optimal where every rank sends and receives at once (Patarasuk and Yuan, "Bandwidth
// optimal all-reduce algorithms for clusters of workstations", 2009). Ranks of a host are neighbours, so each host is entered
// and left once.
#pragma once

#include "coll/args.hpp"
#include "coll/collective.hpp"
#include "coll/traits.hpp"
#include "exec/lane.hpp"

namespace xylem::coll {

// Neighbours and block order of a rank on the ring.
class Ring {
 public:
  XYLEM_HD explicit Ring(const Group& group) : group_(group) {}
  XYLEM_HD std::uint32_t next() const { return group_.rank(group_.place + 1 == group_.size ? 0 : group_.place + 1); }
  XYLEM_HD std::uint32_t previous() const { return group_.rank(group_.place == 0 ? group_.size - 1 : group_.place - 1); }
  // The place that is `back` before this one.
  XYLEM_HD std::uint32_t behind(std::uint32_t back) const { return (group_.place + group_.size - back) % group_.size; }

 private:
  const Group& group_;
};

struct RingAllreduce {
  static constexpr auto collective = Collective::allreduce;
  static constexpr const char* name = "ring";
  static constexpr Traits traits = {.board = false, .channels = true, .one_host_only = false};

  static double cost(const Workload& work) {
    const double part = work.bytes / work.ranks, latency = part < 1 ? work.mean_latency() : work.mean_latency_of_blocks();
    return 2 * (work.ranks - 1) *
           (work.rounds(work.ranks) * latency + part * work.hand_over(work.copy_per_byte + work.reduce_per_byte / 2));
  }

  template <class Lane>
  static XYLEM_HD void run(Lane& lane, const Args& args) {
    const std::uint32_t ranks = args.all.size;
    const Ring ring(args.all);
    const std::uint32_t previous = ring.previous(), next = ring.next();
    for (std::size_t base = 0; base < args.bytes();) {
      // Even parts, so that the last round is no smaller than it must be.
      const std::size_t part = smaller(args.chunk_bytes, even_part(args.bytes() - base, ranks, args.element_bytes));
      const auto in = [&](std::uint32_t place) { return args.in(base + part * place, part); };
      const auto out = [&](std::uint32_t place) { return args.out(base + part * place, part); };

      lane.send(in(ring.behind(1)), next);
      for (std::uint32_t step = 2; step < ranks; ++step) lane.recv_reduce_send(previous, in(ring.behind(step)), next);
      lane.recv_reduce_copy_send(previous, in(args.all.place), out(args.all.place), next);
      for (std::uint32_t step = 1; step + 1 < ranks; ++step) lane.recv_copy_send(previous, out(ring.behind(step)), next);
      lane.recv(previous, out(ring.behind(ranks - 1)));
      base += part * ranks;
    }
  }
};

struct RingReduceScatter {
  static constexpr auto collective = Collective::reduce_scatter_block;
  static constexpr const char* name = "ring";
  static constexpr Traits traits = {.board = false, .channels = true, .one_host_only = false};

  static double cost(const Workload& work) {
    const double part = work.bytes / work.ranks;
    return (work.ranks - 1) *
           (work.rounds(work.ranks) * work.mean_latency_of_blocks() + part * work.hand_over(work.reduce_per_byte));
  }
  static XYLEM_HD std::size_t scratch_bytes(const Args& args) { return args.chunk_bytes; }

  template <class Lane>
  static XYLEM_HD void run(Lane& lane, const Args& args) {
    const std::uint32_t ranks = args.all.size;
    const Ring ring(args.all);
    const std::uint32_t previous = ring.previous(), next = ring.next();
    const std::size_t chunk = args.chunk_bytes, longest = args.sent.longest(ranks);
    for (std::size_t base = 0; base < longest; base += chunk) {
      const auto in = [&](std::uint32_t place) { return args.in_block(args.all.rank(place), base, chunk); };
      lane.send(in(ring.behind(1)), next);
      for (std::uint32_t step = 2; step < ranks; ++step) lane.recv_reduce_send(previous, in(ring.behind(step)), next);
      // In place, this lies over input of this round or of rounds before: an element is never further from the begin of its
      // block than from the begin of the buffer. All of it but the own block's has been sent by now.
      const exec::View own = in(args.all.place);
      const exec::Slice out = args.out(base, chunk);
      const exec::Slice sum = lies_askew(out, own) ? exec::Slice{args.scratch, out.bytes} : out;
      lane.recv_reduce_copy(previous, own, sum);
      lane.keep(out, sum);
    }
  }
};

struct RingAllgather {
  static constexpr auto collective = Collective::allgather;
  static constexpr const char* name = "ring";
  static constexpr Traits traits = {.board = false, .channels = true, .one_host_only = false};

  static double cost(const Workload& work) {
    const double part = work.bytes / work.ranks;
    return (work.ranks - 1) *
           (work.rounds(work.ranks) * work.mean_latency_of_blocks() + part * work.hand_over(2 * work.copy_per_byte));
  }

  template <class Lane>
  static XYLEM_HD void run(Lane& lane, const Args& args) {
    const std::uint32_t ranks = args.all.size;
    const Ring ring(args.all);
    const std::uint32_t previous = ring.previous(), next = ring.next();
    const std::size_t chunk = args.chunk_bytes, longest = args.received.longest(ranks);
    for (std::size_t base = 0; base < longest; base += chunk) {
      const auto out = [&](std::uint32_t place) { return args.out_block(args.all.rank(place), base, chunk); };
      const exec::View own = args.in(base, chunk);
      lane.send(own, next);
      lane.keep(out(args.all.place), own);
      for (std::uint32_t step = 1; step + 1 < ranks; ++step) lane.recv_copy_send(previous, out(ring.behind(step)), next);
      lane.recv(previous, out(ring.behind(ranks - 1)));
    }
  }
};

// The chain from the root around the ring: distance 0 is the root.
struct RingBcast {
  static constexpr auto collective = Collective::bcast;
  static constexpr const char* name = "ring";
  static constexpr Traits traits = {.board = false, .channels = true, .one_host_only = false};

  static double cost(const Workload& work) { return chain(work, 2 * work.copy_per_byte); }

  template <class Lane>
  static XYLEM_HD void run(Lane& lane, const Args& args) {
    const Ring ring(args.all);
    const std::uint32_t previous = ring.previous(), next = ring.next();
    const std::size_t chunk = args.chunk_bytes;
    for (std::size_t base = 0; base < args.bytes(); base += chunk) {
      if (args.rank == args.root) {
        lane.send(args.in(base, chunk), next);
      } else if (next == args.root) {
        lane.recv(previous, args.out(base, chunk));
      } else {
        lane.recv_copy_send(previous, args.out(base, chunk), next);
      }
    }
  }
};

struct RingReduce {
  static constexpr auto collective = Collective::reduce;
  static constexpr const char* name = "ring";
  static constexpr Traits traits = {.board = false, .channels = true, .one_host_only = false};

  static double cost(const Workload& work) { return chain(work, work.reduce_per_byte); }

  template <class Lane>
  static XYLEM_HD void run(Lane& lane, const Args& args) {
    const Ring ring(args.all);
    const std::uint32_t previous = ring.previous(), next = ring.next();
    const std::size_t chunk = args.chunk_bytes;
    for (std::size_t base = 0; base < args.bytes(); base += chunk) {
      if (args.rank == args.root) {
        lane.recv_reduce_copy(previous, args.in(base, chunk), args.out(base, chunk));
      } else if (previous == args.root) {
        lane.send(args.in(base, chunk), next);
      } else {
        lane.recv_reduce_send(previous, args.in(base, chunk), next);
      }
    }
  }
};

}  // namespace xylem::coll

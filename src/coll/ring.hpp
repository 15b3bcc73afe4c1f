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
    const double part = work.bytes / work.ranks;
    return 2 * (work.ranks - 1) *
           (work.rounds(work.ranks) * work.step().latency + part * (work.step().per_byte + work.reduce_per_byte / 2));
  }

  template <class Lane>
  static XYLEM_HD void run(Lane& lane, const Args& args) {
    const std::uint32_t ranks = args.all.size;
    const Ring ring(args.all);
    const std::uint32_t previous = ring.previous(), next = ring.next();
    for (std::size_t base = 0; base < args.count;) {
      // Even parts, so that the last round is no smaller than it must be.
      const std::size_t part = smaller(args.chunk_elements(), divide_up(args.count - base, ranks));
      const auto range = [&](std::uint32_t place) { return clip(base + part * place, part, args.count); };
      const auto in = [&](std::uint32_t place) { return args.in(range(place).first, range(place).length); };
      const auto out = [&](std::uint32_t place) { return args.out(range(place).first, range(place).length); };

      lane.send(in(ring.behind(1)), next);
      for (std::uint32_t step = 2; step < ranks; ++step) lane.recv_reduce_send(previous, in(ring.behind(step)), next);
      lane.recv_reduce_copy_send(previous, in(args.all.place), out(args.all.place), next);
      for (std::uint32_t step = 1; step + 1 < ranks; ++step) lane.recv_copy_send(previous, out(ring.behind(step)), next);
      lane.recv(previous, out(ring.behind(ranks - 1)));
      base += part * ranks;
    }
  }
};

struct RingReduceScatterBlock {
  static constexpr auto collective = Collective::reduce_scatter_block;
  static constexpr const char* name = "ring";
  static constexpr Traits traits = {.board = false, .channels = true, .one_host_only = false};

  static double cost(const Workload& work) {
    const double part = work.bytes / work.ranks;
    return (work.ranks - 1) *
           (work.rounds(work.ranks) * work.step().latency + part * (work.step().per_byte + work.reduce_per_byte));
  }

  template <class Lane>
  static XYLEM_HD void run(Lane& lane, const Args& args) {
    const std::uint32_t ranks = args.all.size;
    const Ring ring(args.all);
    const std::uint32_t previous = ring.previous(), next = ring.next();
    const std::size_t chunk = args.chunk_elements();
    for (std::size_t base = 0; base < args.count; base += chunk) {
      const std::size_t length = clip(base, chunk, args.count).length;
      const auto in = [&](std::uint32_t place) { return args.in(args.all.rank(place) * args.count + base, length); };
      lane.send(in(ring.behind(1)), next);
      for (std::uint32_t step = 2; step < ranks; ++step) lane.recv_reduce_send(previous, in(ring.behind(step)), next);
      // In place, output element i lies where input element i of block 0 was; that one has been sent by now.
      lane.recv_reduce_copy(previous, in(args.all.place), args.out(base, length));
    }
  }
};

struct RingAllgather {
  static constexpr auto collective = Collective::allgather;
  static constexpr const char* name = "ring";
  static constexpr Traits traits = {.board = false, .channels = true, .one_host_only = false};

  static double cost(const Workload& work) {
    const double part = work.bytes / work.ranks;
    return (work.ranks - 1) * (work.rounds(work.ranks) * work.step().latency + part * work.step().per_byte);
  }

  template <class Lane>
  static XYLEM_HD void run(Lane& lane, const Args& args) {
    const std::uint32_t ranks = args.all.size;
    const Ring ring(args.all);
    const std::uint32_t previous = ring.previous(), next = ring.next();
    const std::size_t chunk = args.chunk_elements();
    for (std::size_t base = 0; base < args.count; base += chunk) {
      const std::size_t length = clip(base, chunk, args.count).length;
      const auto out = [&](std::uint32_t place) { return args.out(args.all.rank(place) * args.count + base, length); };
      const exec::Slice own = out(args.all.place);
      lane.send(args.in(base, length), next);
      if (own.data != args.in(base, length).data) lane.copy(own, args.in(base, length));
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

  static double cost(const Workload& work) {
    return pipeline(work.ranks - 1, work.step().latency, work.step().per_byte, work.bytes, work.chunk_bytes);
  }

  template <class Lane>
  static XYLEM_HD void run(Lane& lane, const Args& args) {
    const Ring ring(args.all);
    const std::uint32_t previous = ring.previous(), next = ring.next();
    const std::size_t chunk = args.chunk_elements();
    for (std::size_t base = 0; base < args.count; base += chunk) {
      const std::size_t length = clip(base, chunk, args.count).length;
      if (args.rank == args.root) {
        lane.send(args.in(base, length), next);
      } else if (next == args.root) {
        lane.recv(previous, args.out(base, length));
      } else {
        lane.recv_copy_send(previous, args.out(base, length), next);
      }
    }
  }
};

struct RingReduce {
  static constexpr auto collective = Collective::reduce;
  static constexpr const char* name = "ring";
  static constexpr Traits traits = {.board = false, .channels = true, .one_host_only = false};

  static double cost(const Workload& work) {
    return pipeline(work.ranks - 1, work.step().latency, work.step().per_byte + work.reduce_per_byte, work.bytes,
                    work.chunk_bytes);
  }

  template <class Lane>
  static XYLEM_HD void run(Lane& lane, const Args& args) {
    const Ring ring(args.all);
    const std::uint32_t previous = ring.previous(), next = ring.next();
    const std::size_t chunk = args.chunk_elements();
    for (std::size_t base = 0; base < args.count; base += chunk) {
      const std::size_t length = clip(base, chunk, args.count).length;
      if (args.rank == args.root) {
        lane.recv_reduce_copy(previous, args.in(base, length), args.out(base, length));
      } else if (previous == args.root) {
        lane.send(args.in(base, length), next);
      } else {
        lane.recv_reduce_send(previous, args.in(base, length), next);
      }
    }
  }
};

}  // namespace xylem::coll

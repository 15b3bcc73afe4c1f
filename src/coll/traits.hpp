// What every algorithm says of itself beside its text: what it needs, and what it is expected to cost.
#pragma once

#include <cstdint>

#include "coll/args.hpp"
#include "coll/tree.hpp"
#include "exec/channel.hpp"

namespace xylem::coll {

// How an algorithm associates what it reduces. Sums of floating-point numbers depend on it. The canonical tree
// (coll/cores.hpp) is the same for a number of ranks whatever the algorithm, the chunks and the hosts; a scan's is the fold
// from the lowest rank on.
enum class SumOrder : std::uint8_t {
  own,                 // in an order of its own
  canonical,           // along the canonical tree over Args::all; a scan's over the ranks
  canonical_on_hosts,  // where every host has the same power of two of ranks, one host's after the other's
};

struct Traits {
  bool board = false;          // uses the board of the host
  bool channels = false;       // uses channels between ranks
  bool one_host_only = false;  // works only where all ranks share a host
  bool leaders = false;        // uses Args::leaders
  bool levels = false;         // uses Args::inside
  bool part_per_rank = false;  // a chunk must have room for an element of every rank
  bool power_of_two = false;   // works only with such numbers of ranks
  bool even_hosts = false;     // works only where every host has as many ranks
  bool lends = false;          // lends long blocks (coll/loans.hpp)
  SumOrder sums = SumOrder::own;
};

// Why an algorithm cannot work with so many ranks on so many hosts, at most `ranks_per_host` on one; null where it can.
inline const char* obstacle(const Traits& traits, std::uint32_t ranks, std::uint32_t hosts, std::uint32_t ranks_per_host) {
  if (traits.one_host_only && hosts > 1) return "works inside one host only";
  if (traits.power_of_two && (ranks & (ranks - 1)) != 0) return "works with powers of two of ranks only";
  if (traits.even_hosts && hosts * ranks_per_host != ranks) return "works only with as many ranks on every host";
  return nullptr;
}

// Whether an algorithm that works there folds along the canonical tree. `in_rank_order`: the ranks of a host are neighbours
// among all ranks, so that Args::all is the ranks in their own order.
inline bool sums_canonically(const Traits& traits, std::uint32_t hosts, std::uint32_t ranks_per_host, bool in_rank_order) {
  if (traits.sums != SumOrder::canonical_on_hosts) return traits.sums == SumOrder::canonical;
  return hosts == 1 || (in_rank_order && (ranks_per_host & (ranks_per_host - 1)) == 0);
}

// One kind of link, in seconds. A message of no bytes takes `latency` from one rank to the other, of which each of the two is
// busy for `overhead`. Inside a host, `per_byte` is to copy a byte that another core has written; between hosts it is the
// wire.
struct Link {
  double latency;
  double per_byte;
  double overhead = 0;
};

// From a leaf of a tree to its root.
struct Way {
  double far = 0;        // hops over the slower link that there is
  double near = 0;       // hops over channels inside a host
  double crossings = 1;  // how often each byte leaves, or enters, a host that has it
  double children = 1;   // that the busiest rank has for each byte
};

// A call as the cost model sees it. N = bytes of the whole vector (of all blocks together where every rank has one).
struct Workload {
  double bytes = 0;  // N
  std::uint32_t ranks = 1;
  std::uint32_t hosts = 1;
  std::uint32_t ranks_per_host = 1;  // the most on one host
  Link board{};                      // one rank shows, another reads
  Link channel{};                    // a slot from a rank to another on its host
  Link network{};                    // a slot from a host to another, over one rail
  std::uint32_t rails = 1;           // network interfaces of a host; a rank uses one
  double copy_per_byte = 0;          // of what this core has in its caches
  double reduce_per_byte = 0;
  double chunk_bytes = 1;  // for pipelines
  Link lending{};          // to copy from the memory of another process
  Loans loans;

  // How often a loop that takes `width` chunks at a time goes round.
  double rounds(double width) const {
    const double all = bytes / (width * chunk_bytes);
    return all < 1 ? 1 : all;
  }

  // A block is lent, and its owner knows that it has been read.
  double loan(double block) const { return 2 * channel.latency + lending.latency + block * lending.per_byte; }

  // What a byte costs beyond one of this core's own where another core of the host has written it.
  double beyond(const Link& link) const { return more(0, link.per_byte - copy_per_byte); }

  // The time to send or receive that many small messages of different peers, one after the other.
  double burst(double messages) const { return messages * step().overhead; }

  // The slower of the links that a step around all ranks uses.
  Link step() const {
    if (hosts == 1 || ranks_per_host == 1) return hosts == 1 ? channel : network;
    return {more(channel.latency, network.latency), more(channel.per_byte, network.per_byte),
            more(channel.overhead, network.overhead)};
  }

  // The mean latency of a hop on a way around all ranks: each host is entered once.
  double mean_latency() const {
    return hosts == 1 ? channel.latency : (hosts * network.latency + (ranks - hosts) * channel.latency) / ranks;
  }

  // The same where every rank passes on a block of every other. A slot of the network is there again after two latencies.
  double mean_latency_of_blocks() const {
    return hosts == 1 ? channel.latency : more(mean_latency(), 2 * network.latency / exec::kSlots);
  }

  // What a byte takes from rank to rank around all of them, where each spends `work_per_byte` on it: from having it to having
  // passed it on, and, where bytes follow each other, from one to the next.
  double hand_over(double work_per_byte) const {
    return more(hosts == 1 ? 0 : network.per_byte + work_per_byte, on_host(work_per_byte));
  }
  double follow(double work_per_byte) const {
    return more(hosts == 1 ? 0 : more(network.per_byte, work_per_byte), on_host(work_per_byte));
  }

  // So many bytes each way between two ranks, which copy them into slots and spend `work_per_byte` on what comes. Between
  // hosts the ranks of a host share the network, and their messages pass one after the other.
  double exchange(double exchanged, bool inside, double work_per_byte) const {
    if (!inside) return exchange_between(exchanged, sharing(), work_per_byte);
    return slots(exchanged) * channel.latency + exchanged * (board.per_byte + channel.per_byte + work_per_byte);
  }

  // What each rank does with ranks that are `factor` times as far away each time: at(distance, others, inside), with 1 ...
  // `others` times `distance` below `end`, first inside the hosts, then between them.
  template <class At>
  double for_distances(std::uint32_t end, std::uint32_t factor, At at) const {
    double seconds = 0;
    for (std::uint32_t distance = 1; distance < end; distance *= factor) {
      const std::uint32_t there = (end - 1) / distance, others = there < factor ? there : factor - 1;
      seconds += at(distance, others, hosts == 1 || (others + 1) * distance <= ranks_per_host);
    }
    return seconds;
  }

  // Exchanges of bytes_at(distance) with ranks that are 1, 2, 4, ... away.
  template <class BytesAt>
  double doubling_steps(BytesAt bytes_at, double work_per_byte) const {
    return for_distances(ranks, 2, [&](double distance, std::uint32_t, bool inside) {
      if (inside) return exchange(bytes_at(distance), true, work_per_byte);
      const double across = distance < ranks_per_host ? distance : ranks_per_host;
      return exchange_between(bytes_at(distance), more(1, across / rails), work_per_byte);
    });
  }

  // Exchanges of bytes_at(bit) between cores (coll/cores.hpp) whose numbers differ in bit 1, 2, 4, ...
  template <class BytesAt>
  double core_steps(BytesAt bytes_at, double work_per_byte) const {
    double seconds = 0;
    for (std::uint32_t bit = 1; bit < power_of_two_below(ranks); bit *= 2) {
      const std::uint32_t across = cores_across(bit);
      seconds += across == 0 ? exchange(bytes_at(bit), true, work_per_byte)
                             : exchange_between(bytes_at(bit), more(1, static_cast<double>(across) / rails), work_per_byte);
    }
    return seconds;
  }

  // Where ranks pass on around all hosts, messages over small distances cross a border between hosts once, too.
  double border() const { return hosts > 1 && ranks_per_host > 1 ? network.latency : 0; }

  // The vector along a way, chunk after chunk, of which the busiest rank has `work_per_byte`.
  double along(Way way, double work_per_byte) const {
    const double first = bytes < chunk_bytes ? bytes : chunk_bytes;
    const auto hop = [&](Link link) { return link.latency + first * (link.per_byte + copy_per_byte); };
    return way.far * hop(step()) + way.near * hop(channel) +
           (bytes - first) * more(hosts > 1 ? way.crossings * network.per_byte : 0, work_per_byte);
  }

  // Bytes that a rank has for the others of its host, and for those of other hosts, of a block for each rank.
  double inside() const { return bytes * (ranks_per_host - 1) / ranks; }
  double outside() const { return bytes * (ranks - ranks_per_host) / ranks; }

  // All blocks between one rank and the others: its own work on them, or the wire beside it.
  double from_one(double inside_per_byte, double outside_per_byte) const {
    return more(inside() * inside_per_byte + outside() * outside_per_byte, outside() * network.per_byte);
  }
  // Blocks of all ranks for all others, with the work that each has with its own.
  double all_to_all() const {
    return more(inside() * (board.per_byte + channel.per_byte) + outside() * 2 * copy_per_byte,
                outside() * sharing() * network.per_byte);
  }

  // The vectors of ranks that are no cores (coll/cores.hpp), to their neighbours and back.
  double pairs(double vector, double fold_per_byte) const {
    if (folded() == 0) return 0;
    bool inside = true;  // or one pair at each border of hosts is not
    for (std::uint32_t host = 1; host < hosts; ++host) {
      if (first_of(host) < 2 * folded() && first_of(host) % 2 != 0) inside = false;
    }
    if (inside) return exchange(vector, true, fold_per_byte) + exchange(vector, true, copy_per_byte);
    return exchange_between(vector, 1, fold_per_byte) + exchange_between(vector, 1, copy_per_byte);
  }

  // Ranks of a host that use one network interface, where all of them send at once.
  double sharing() const { return more(1, static_cast<double>(ranks_per_host) / rails); }

 private:
  double slots(double exchanged) const { return exchanged < chunk_bytes ? 1 : exchanged / chunk_bytes; }

  // An exchange between hosts, of which `sharing` pass one after the other.
  double exchange_between(double exchanged, double sharing, double work_per_byte) const {
    return slots(exchanged) * (network.latency + (sharing - 1) * board.latency) +
           exchanged * (copy_per_byte + sharing * network.per_byte + work_per_byte);
  }

  // Ranks of a host that exchange with other hosts where the numbers of cores differ in `bit`. Not 0 for the highest.
  std::uint32_t cores_across(std::uint32_t bit) const {
    std::uint32_t most = 0;
    for (std::uint32_t host = 1; host < hosts; ++host) {
      const std::uint32_t first = first_of(host), core = first < 2 * folded() ? (first + 1) / 2 : first - folded();
      const std::uint32_t below = core % (2 * bit), across = below < bit ? below : 2 * bit - below;
      if (across > most) most = across;
    }
    return most < ranks_per_host ? most : ranks_per_host;
  }

  // Ranks that are no cores.
  std::uint32_t folded() const { return ranks - power_of_two_below(ranks); }

  // The first rank of a host: those before it are full, and every host has a rank.
  std::uint32_t first_of(std::uint32_t host) const {
    const std::uint32_t full = host * ranks_per_host, most = ranks - (hosts - host);
    return full < most ? full : most;
  }

  static double more(double a, double b) { return a > b ? a : b; }
  double on_host(double work_per_byte) const { return ranks_per_host == 1 ? 0 : work_per_byte + beyond(channel); }
};

inline double log2_up(std::uint32_t value) {
  double log = 0;
  for (std::uint32_t power = 1; power < value; power *= 2) ++log;
  return log;
}

// All chunks through all ranks one after the other.
inline double chain(const Workload& work, double work_per_byte) {
  const double first = work.bytes < work.chunk_bytes ? work.bytes : work.chunk_bytes;
  return (work.ranks - 1) * (work.mean_latency() + first * work.hand_over(work_per_byte)) +
         (work.bytes - first) * work.follow(work_per_byte);
}

}  // namespace xylem::coll

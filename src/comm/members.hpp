// Who is where: the ranks of a communicator by host. The same on all ranks.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "coll/args.hpp"
#include "topo/locality.hpp"

namespace xylem {

class Members {
 public:
  // `host_ids` by rank; `parts` of the hosts too, or none.
  Members(std::uint32_t rank, std::span<const std::uint64_t> host_ids, std::span<const topo::Locality> parts = {});

  std::uint32_t rank() const { return rank_; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(host_of_.size()); }
  std::uint32_t hosts() const { return static_cast<std::uint32_t>(leaders_.size()); }
  std::uint32_t ranks_per_host() const { return most_; }  // on the host that has most
  std::uint32_t host_of(std::uint32_t rank) const { return host_of_[rank]; }
  bool here(std::uint32_t rank) const { return host_of_[rank] == host_of_[rank_]; }

  // The ranks of this host in rising order, and this rank's place among them.
  std::span<const std::uint32_t> local() const { return local_; }
  std::uint32_t local_place() const { return local_place_; }
  std::uint32_t local_place_of(std::uint32_t rank) const { return place_on_host_[rank]; }

  // Ranks whose processes this rank watches: the others of this host and, if it is the first of its host, the first ones of
  // the two hosts beside it in a ring of hosts. So each process is watched by someone who tells all.
  std::vector<std::uint32_t> watched_by_us() const;

  // Groups for the algorithms; they point into this object. A root leads its host.
  coll::Group all() const;                                          // host by host
  coll::Group by_rank() const { return {nullptr, rank_, size()}; }  // in their own order
  bool in_rank_order() const { return by_host_.empty(); }           // these are the same
  coll::Group host() const;
  coll::Levels inside() const { return inside_; }  // of the host
  void set_leaders(coll::Args& args, bool rooted);

 private:
  void find_levels(std::span<const topo::Locality> parts);

  std::uint32_t rank_;
  std::vector<std::uint32_t> host_of_;        // by rank; hosts are numbered as they first appear
  std::vector<std::uint32_t> place_on_host_;  // by rank
  std::vector<std::uint32_t> by_host_;        // all ranks, those of a host side by side; empty where that is rank order
  std::uint32_t place_ = 0;                   // this rank's in by_host_
  std::vector<std::uint32_t> local_;
  std::uint32_t local_place_ = 0;
  std::vector<std::uint32_t> leaders_;         // by host: its lowest rank
  std::vector<std::uint32_t> rooted_leaders_;  // the same with the root of the call under way
  coll::Levels inside_;
  std::uint32_t most_ = 0;
};

}  // namespace xylem

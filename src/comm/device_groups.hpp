// Which ranks of a host share a GPU. The same on all ranks but for what is said of the own one.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cuda/ipc.hpp"

namespace xylem {

class DeviceGroups {
 public:
  // `devices` by rank.
  DeviceGroups(std::uint32_t rank, std::span<const cuda::DeviceUuid> devices);

  // GPUs, numbered as they first appear in the order of ranks.
  std::uint32_t count() const { return static_cast<std::uint32_t>(leaders_.size()); }
  std::uint32_t of(std::uint32_t rank) const { return group_of_[rank]; }
  // The lowest rank of a GPU: its kernels do the work of all ranks of the GPU.
  std::uint32_t leader(std::uint32_t group) const { return leaders_[group]; }

  bool all_on_one() const { return count() == 1; }
  // Some ranks do.
  bool shared() const { return leaders_.size() < group_of_.size(); }

  std::uint32_t own() const { return group_of_[rank_]; }
  std::uint32_t own_leader() const { return leader(own()); }
  bool leads() const { return own_leader() == rank_; }
  // The ranks of the own GPU, this one too, in rising order.
  std::span<const std::uint32_t> residents() const { return residents_; }

 private:
  std::uint32_t rank_;
  std::vector<std::uint32_t> group_of_;  // by rank
  std::vector<std::uint32_t> leaders_;   // by group
  std::vector<std::uint32_t> residents_;
};

}  // namespace xylem

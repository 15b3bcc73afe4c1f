#include "comm/crowding.hpp"

#include <algorithm>
#include <atomic>
#include <bit>

namespace xylem {

double ranks_per_core(std::span<const topo::CoreMask> masks, double quota) {
  topo::CoreMask all{};
  for (const topo::CoreMask& mask : masks) {
    for (std::size_t i = 0; i < all.size(); ++i) all[i] |= mask[i];
  }
  double cores = 0;
  for (const std::uint64_t word : all) cores += std::popcount(word);
  if (quota > 0) cores = std::min(cores, quota);
  return std::max(1.0, static_cast<double>(masks.size()) / std::max(cores, 1.0));
}

double remember_crowding(double seen) {
  static std::atomic<double> most{1.0};
  double known = most.load(std::memory_order_relaxed);
  while (known < seen && !most.compare_exchange_weak(known, seen, std::memory_order_relaxed)) {
  }
  return std::max(known, seen);
}

}  // namespace xylem

#include "comm/crowding.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <map>

namespace xylem {

namespace {

struct Sharing {
  topo::CoreMask cores{};
  double ranks = 0;
  double quota = 0;

  void add(const RankCores& rank) {
    for (std::size_t i = 0; i < cores.size(); ++i) cores[i] |= rank.mask[i];
    ++ranks;
  }
  double ranks_per_core() const {
    double count = 0;
    for (const std::uint64_t word : cores) count += std::popcount(word);
    if (quota > 0) count = std::min(count, quota);
    return ranks / std::max(count, 1.0);
  }
};

}  // namespace

double ranks_per_core(std::span<const RankCores> ranks) {
  std::map<std::uint64_t, Sharing> hosts, machines;
  for (const RankCores& rank : ranks) {
    Sharing& host = hosts[rank.host];
    host.add(rank);
    if (rank.quota > 0 && (host.quota == 0 || rank.quota < host.quota)) host.quota = rank.quota;
    if (rank.machine != 0) machines[rank.machine].add(rank);
  }
  double most = 1;
  for (const auto& where : {hosts, machines})
    for (const auto& [id, sharing] : where) most = std::max(most, sharing.ranks_per_core());
  return most;
}

double remember_crowding(double seen) {
  static std::atomic<double> most{1.0};
  double known = most.load(std::memory_order_relaxed);
  while (known < seen && !most.compare_exchange_weak(known, seen, std::memory_order_relaxed)) {
  }
  return std::max(known, seen);
}

}  // namespace xylem

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>

#include "topo/cpu_quota.hpp"
#include "topo/topology.hpp"

namespace xylem::topo {
namespace {

// The affinity mask in full: the kernel refuses a mask smaller than its own, whose size it does not tell.
std::vector<std::uint64_t> affinity_mask() {
  constexpr std::size_t kMostWords = 1024;  // 65,536 hardware threads
  for (std::size_t words = CoreMask().size(); words <= kMostWords; words *= 2) {
    std::vector<std::uint64_t> mask(words);
    // A cpu_set_t is an array of longs, as many as its given size says.
    if (sched_getaffinity(0, words * sizeof(mask[0]), reinterpret_cast<cpu_set_t*>(mask.data())) == 0) return mask;
    if (errno != EINVAL) break;
  }
  return {};
}

Cores read_cores() {
  Cores cores;
  cores.online = static_cast<int>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
  cores.cpu_quota = read_cpu_quota("/");
  const std::vector<std::uint64_t> mask = affinity_mask();
  for (const std::uint64_t word : mask) cores.allowed += std::popcount(word);
  std::copy_n(mask.begin(), std::min(mask.size(), cores.mask.size()), cores.mask.begin());
  if (cores.allowed == 0) cores.allowed = cores.online;
  return cores;
}

}  // namespace

const Cores& cores() {
  static const Cores it = read_cores();
  return it;
}

}  // namespace xylem::topo

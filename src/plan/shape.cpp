#include "plan/shape.hpp"

#include <algorithm>
#include <string_view>

namespace xylem::plan {

namespace {

constexpr double kMicrosecond = 1e-6;
constexpr double kGigabyte = 1e9;

// A rank per core: a cache line from core to core, and copies at the speed of a shared cache.
constexpr coll::Link kBoard{0.1 * kMicrosecond, 1 / (12 * kGigabyte)};
constexpr coll::Link kChannel{0.12 * kMicrosecond, 1 / (10 * kGigabyte)};
constexpr double kReducePerByte = 1 / (30 * kGigabyte);

// More ranks than cores: a hand-over waits until the scheduler has run the others on this core.
constexpr double kSwitch = 2 * kMicrosecond;

struct ProviderLink {
  std::string_view name;  // how a provider's name begins
  coll::Link link;
};
constexpr ProviderLink kProviders[] = {
    {"shm", {0.6 * kMicrosecond, 1 / (8 * kGigabyte)}},  {"cxi", {2 * kMicrosecond, 1 / (20 * kGigabyte)}},
    {"efa", {15 * kMicrosecond, 1 / (10 * kGigabyte)}},  {"verbs", {1.5 * kMicrosecond, 1 / (10 * kGigabyte)}},
    {"psm", {1.5 * kMicrosecond, 1 / (10 * kGigabyte)}},
};
// Anything over the kernel's TCP or UDP.
constexpr coll::Link kSockets{12 * kMicrosecond, 1 / (2 * kGigabyte)};

}  // namespace

coll::Link network_link(const char* provider) {
  for (const ProviderLink& known : kProviders) {
    if (std::string_view(provider).starts_with(known.name)) return known.link;
  }
  return kSockets;
}

coll::Workload workload(const Shape& shape, double bytes) {
  const double crowd = std::max(1.0, shape.ranks_per_core);
  const auto crowded = [crowd](coll::Link link) {
    return coll::Link{crowd > 1 ? kSwitch * crowd : link.latency, link.per_byte * crowd};
  };
  coll::Workload work;
  work.bytes = bytes;
  work.ranks = shape.ranks;
  work.hosts = shape.hosts;
  work.ranks_per_host = shape.ranks_per_host;
  work.board = crowded(kBoard);
  work.channel = crowded(kChannel);
  work.network = {shape.network.latency + (crowd > 1 ? kSwitch * crowd : 0), shape.network.per_byte};
  work.reduce_per_byte = kReducePerByte * crowd;
  return work;
}

}  // namespace xylem::plan

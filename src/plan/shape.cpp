#include "plan/shape.hpp"

#include <algorithm>
#include <string_view>

namespace xylem::plan {

namespace {

// More ranks than cores: a hand-over waits until the scheduler has run the others on this core.
constexpr double kSwitch = 2e-6;

struct ProviderLink {
  std::string_view name;  // how a provider's name begins
  coll::Link link;
};
constexpr ProviderLink kProviders[] = {
    {"shm", make_link(0.6e-6, 8e9)},    {"cxi", make_link(2e-6, 20e9)},   {"efa", make_link(15e-6, 10e9)},
    {"verbs", make_link(1.5e-6, 10e9)}, {"psm", make_link(1.5e-6, 10e9)},
};
// Anything over the kernel's TCP or UDP.
constexpr coll::Link kSockets = make_link(12e-6, 2e9);

}  // namespace

coll::Link network_link(const char* provider) {
  for (const ProviderLink& known : kProviders) {
    if (std::string_view(provider).starts_with(known.name)) return known.link;
  }
  return kSockets;
}

coll::Workload workload(const Shape& shape, double bytes) {
  const double crowd = std::max(1.0, shape.ranks_per_core);
  const double turn = crowd > 1 ? kSwitch * crowd : 0;
  const auto crowded = [&](coll::Link link) {
    if (crowd > 1) link = {turn, link.per_byte * crowd, kBusyPart * turn};
    return link;
  };
  coll::Workload work;
  work.bytes = bytes;
  work.ranks = shape.ranks;
  work.hosts = shape.hosts;
  work.ranks_per_host = shape.ranks_per_host;
  work.board = crowded(shape.inside.board);
  work.channel = crowded(shape.inside.channel);
  work.network = shape.network;
  work.network.latency += turn;
  work.network.overhead += kBusyPart * turn;
  work.rails = shape.rails;
  work.lending = {shape.inside.lending.latency, shape.inside.lending.per_byte * crowd};
  work.loans = shape.loans;
  work.copy_per_byte = shape.inside.copy_per_byte * crowd;
  work.reduce_per_byte = shape.inside.reduce_per_byte * crowd;
  return work;
}

}  // namespace xylem::plan

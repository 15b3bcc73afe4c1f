#include "bench/limits.hpp"

#include <algorithm>

namespace xylem::tools {
namespace {

// Bytes of one rank's buffer.
std::size_t bytes_of(coll::Buffer buffer, std::size_t bytes, std::size_t ranks) {
  if (buffer == coll::Buffer::none) return 0;
  return buffer == coll::Buffer::blocks ? bytes * ranks : bytes;
}

// Until what a rank has to say is where it is needed, in calls one after the other.
double meeting_seconds(const Limits& limits, coll::Collective collective, std::size_t ranks) {
  // Ranks wait for those before them only, who may be many calls ahead.
  if (collective == coll::Collective::scan || collective == coll::Collective::exscan) return 0;
  const std::size_t on_a_core = (ranks + limits.cores.size() - 1) / limits.cores.size();
  if (on_a_core < 2) return limits.line_seconds;
  // A rank needs all others once in as many calls as there are ranks, or in each call.
  const double switches = coll::facts(collective).rooted ? static_cast<double>(on_a_core) / static_cast<double>(ranks)
                                                         : static_cast<double>(on_a_core - 1);
  return switches * limits.switch_seconds;
}

}  // namespace

std::size_t least_traffic(coll::Collective collective, std::size_t bytes, std::size_t ranks) {
  const coll::CollectiveFacts& facts = coll::facts(collective);
  std::size_t senders = coll::only_root_sends(collective) ? 1 : ranks;
  std::size_t receivers = coll::only_root_receives(collective) ? 1 : ranks;
  if (collective == coll::Collective::bcast) {
    senders = 1;
    receivers = ranks - 1;
  }
  if (collective == coll::Collective::exscan) senders = receivers = ranks - 1;  // the last one's input is nobody's
  return senders * bytes_of(facts.input, bytes, ranks) + receivers * bytes_of(facts.output, bytes, ranks);
}

double least_seconds(const Limits& limits, coll::Collective collective, std::size_t bytes, std::size_t ranks) {
  const bool moves_nothing = bytes == 0 && coll::facts(collective).output != coll::Buffer::none;
  if (limits.cores.empty() || ranks < 2 || moves_nothing) return 0;
  const std::size_t traffic = least_traffic(collective, bytes, ranks);
  const Limits::Copying& copying = traffic <= limits.cache_bytes ? limits.in_cache : limits.in_memory;
  // All cores together, or as many as there are ranks.
  const double rate = std::min(copying.all_cores, static_cast<double>(ranks) * copying.one_core);
  constexpr double directions = 2;  // a copied byte is read and written
  return meeting_seconds(limits, collective, ranks) + (rate > 0 ? static_cast<double>(traffic) / directions / rate : 0);
}

}  // namespace xylem::tools

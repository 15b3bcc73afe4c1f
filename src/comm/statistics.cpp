#include "comm/statistics.hpp"

#include <cstdio>
#include <mutex>
#include <set>

#include "base/version.hpp"
#include "plan/catalogue.hpp"

namespace xylem {

struct Totals {
  struct Line {
    std::uint64_t calls = 0, bytes = 0;
    double seconds = 0;

    template <class Other>
    void add(const Other& other) {
      calls += other.calls;
      bytes += other.bytes;
      seconds += other.seconds;
    }
  };
  std::vector<Line> algorithms = std::vector<Line>(plan::catalogue().size());
  std::array<Line, coll::kCollectives> trivial;
  std::uint64_t on_device = 0, staged = 0;

  void add(const Counters& counters) {
    for (std::size_t i = 0; i < algorithms.size(); ++i) algorithms[i].add(counters.algorithms_[i]);
    for (std::size_t i = 0; i < trivial.size(); ++i) trivial[i].add(counters.trivial_[i]);
    on_device += counters.on_device_;
    staged += counters.staged_;
  }
};

namespace {

struct Registry {
  std::mutex mutex;
  std::set<const Counters*> alive;
  Totals ended;
  std::uint32_t ranks = 0, hosts = 0;
  std::string provider;
};

// Never destroyed: a program's own static objects may end communicators after ours would be gone.
Registry& registry() {
  static Registry& instance = *new Registry;
  return instance;
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(c));
      out += escape;
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string seconds_text(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9f", seconds);
  return text;
}

// One collective's calls; empty where there were none.
std::string collective_json(const Totals& totals, coll::Collective collective) {
  Totals::Line all = totals.trivial[static_cast<std::size_t>(collective)];
  std::string algorithms;
  for (std::size_t i = 0; i < totals.algorithms.size(); ++i) {
    const plan::Algorithm& algorithm = plan::catalogue()[i];
    if (algorithm.collective != collective || totals.algorithms[i].calls == 0) continue;
    all.add(totals.algorithms[i]);
    algorithms +=
        (algorithms.empty() ? "" : ", ") + quoted(algorithm.name) + ": " + std::to_string(totals.algorithms[i].calls);
  }
  if (all.calls == 0) return {};
  // Reading the clock takes as long as half a small call: without XYLEM_STATS nobody has done so.
  const std::string seconds = all.seconds > 0 ? ", \"seconds\": " + seconds_text(all.seconds) : "";
  return quoted(coll::collective_name(collective)) + ": {\"calls\": " + std::to_string(all.calls) +
         ", \"bytes\": " + std::to_string(all.bytes) + seconds + ", \"algorithms\": {" + algorithms + "}}";
}

}  // namespace

Counters::Counters() : algorithms_(plan::catalogue().size()) {
  const std::lock_guard lock(registry().mutex);
  registry().alive.insert(this);
}

Counters::~Counters() {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  all.alive.erase(this);
  all.ended.add(*this);
}

void Counters::describe(std::uint32_t ranks, std::uint32_t hosts, const std::string& provider) {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  if (ranks < all.ranks || (ranks == all.ranks && hosts < all.hosts)) return;
  all.ranks = ranks;
  all.hosts = hosts;
  all.provider = provider;
}

std::string statistics_json() {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  Totals totals = all.ended;
  for (const Counters* counters : all.alive) totals.add(*counters);
  std::string collectives;
  for (std::size_t i = 0; i < coll::kCollectives; ++i) {
    const std::string json = collective_json(totals, static_cast<coll::Collective>(i));
    if (!json.empty()) collectives += (collectives.empty() ? "" : ", ") + json;
  }
  return "{\"version\": " + quoted(kVersion) + ", \"ranks\": " + std::to_string(all.ranks) +
         ", \"hosts\": " + std::to_string(all.hosts) + ", \"provider\": " + quoted(all.provider) +
         ", \"device\": {\"calls\": " + std::to_string(totals.on_device) + ", \"staged\": " + std::to_string(totals.staged) +
         "}, \"collectives\": {" + collectives + "}}";
}

}  // namespace xylem

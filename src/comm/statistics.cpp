#include "comm/statistics.hpp"

#include <cstdio>
#include <mutex>
#include <set>

#include "base/version.hpp"
#include "plan/catalogue.hpp"

namespace xylem {

namespace {

struct Totals {
  struct Line {
    std::uint64_t calls = 0, bytes = 0;
    double seconds = 0;
  };
  std::array<Line, coll::kCollectives> lines;
  std::vector<std::uint64_t> algorithms = std::vector<std::uint64_t>(plan::catalogue().size());
  std::uint64_t on_device = 0, staged = 0;
};

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

// A single writer: no read-modify-write is needed.
template <class T>
void add(std::atomic<T>& counter, T value) {
  counter.store(counter.load(std::memory_order_relaxed) + value, std::memory_order_relaxed);
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

std::string algorithms_json(const Totals& totals, std::size_t collective) {
  std::string out;
  for (std::size_t i = 0; i < totals.algorithms.size(); ++i) {
    const plan::Algorithm& algorithm = plan::catalogue()[i];
    if (static_cast<std::size_t>(algorithm.collective) != collective || totals.algorithms[i] == 0) continue;
    out += (out.empty() ? "" : ", ") + quoted(algorithm.name) + ": " + std::to_string(totals.algorithms[i]);
  }
  return "{" + out + "}";
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
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    all.ended.lines[i].calls += lines_[i].calls;
    all.ended.lines[i].bytes += lines_[i].bytes;
    all.ended.lines[i].seconds += lines_[i].seconds;
  }
  for (std::size_t i = 0; i < algorithms_.size(); ++i) all.ended.algorithms[i] += algorithms_[i];
  all.ended.on_device += on_device_;
  all.ended.staged += staged_;
}

void Counters::count(coll::Collective collective, std::uint32_t algorithm, std::uint64_t bytes, double seconds) {
  count_trivial(collective, bytes);
  if (seconds > 0) add(lines_[static_cast<std::size_t>(collective)].seconds, seconds);
  add(algorithms_[algorithm], std::uint64_t{1});
}

void Counters::count_trivial(coll::Collective collective, std::uint64_t bytes) {
  Line& line = lines_[static_cast<std::size_t>(collective)];
  add(line.calls, std::uint64_t{1});
  add(line.bytes, bytes);
}

void Counters::count_on_device(coll::Collective collective, std::uint64_t bytes) {
  count_trivial(collective, bytes);
  add(on_device_, std::uint64_t{1});
}

void Counters::count_staged() { add(staged_, std::uint64_t{1}); }

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
  for (const Counters* counters : all.alive) {
    for (std::size_t i = 0; i < totals.lines.size(); ++i) {
      totals.lines[i].calls += counters->lines_[i].calls;
      totals.lines[i].bytes += counters->lines_[i].bytes;
      totals.lines[i].seconds += counters->lines_[i].seconds;
    }
    for (std::size_t i = 0; i < totals.algorithms.size(); ++i) totals.algorithms[i] += counters->algorithms_[i];
    totals.on_device += counters->on_device_;
    totals.staged += counters->staged_;
  }
  std::string collectives;
  for (std::size_t i = 0; i < totals.lines.size(); ++i) {
    const Totals::Line& line = totals.lines[i];
    if (line.calls == 0) continue;
    collectives += (collectives.empty() ? "" : ", ") + quoted(coll::collective_name(static_cast<coll::Collective>(i))) +
                   ": {\"calls\": " + std::to_string(line.calls) + ", \"bytes\": " + std::to_string(line.bytes) +
                   ", \"seconds\": " + seconds_text(line.seconds) + ", \"algorithms\": " + algorithms_json(totals, i) + "}";
  }
  return "{\"version\": " + quoted(kVersion) + ", \"ranks\": " + std::to_string(all.ranks) +
         ", \"hosts\": " + std::to_string(all.hosts) + ", \"provider\": " + quoted(all.provider) +
         ", \"device\": {\"calls\": " + std::to_string(totals.on_device) + ", \"staged\": " + std::to_string(totals.staged) +
         "}, \"collectives\": {" + collectives + "}}";
}

}  // namespace xylem

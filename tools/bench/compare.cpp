#include "bench/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "bench/table.hpp"
#include "units.hpp"

namespace xylem::tools {
namespace {

constexpr std::size_t first_peer = 1;

struct Change {
  const Row* before;
  const Row* after;

  double time() const { return after->summary(0).median / before->summary(0).median; }

  // +1: slower, -1: faster, 0: neither for certain.
  int direction() const {
    const Interval old_time = median_interval(before->sides[0].seconds), new_time = median_interval(after->sides[0].seconds);
    const Interval old_ratio = before->ratio_interval(first_peer), new_ratio = after->ratio_interval(first_peer);
    const double ratio = before->ratio(first_peer) / after->ratio(first_peer);
    constexpr double slower = 1 + equal_within, faster = 1 - equal_within;
    if (after->wrong()) return 1;
    if (time() > slower && ratio > slower && new_time.low > old_time.high && new_ratio.high < old_ratio.low) return 1;
    if (time() < faster && ratio < faster && new_time.high < old_time.low && new_ratio.low > old_ratio.high) return -1;
    return 0;
  }
};

std::string line(const Change& change) {
  return fmt::format("{:<21}{:>9}{:>12}{:>12}{:>8.2f}{:>9.2f}{:>8.2f}{}\n", change.after->collective,
                     size_text(*change.after), format_microseconds(change.before->summary(0).median * 1e6),
                     format_microseconds(change.after->summary(0).median * 1e6), change.time(),
                     change.before->ratio(first_peer), change.after->ratio(first_peer),
                     change.after->wrong() ? "  WRONG RESULTS" : "");
}

std::string table(const std::string& title, const std::vector<Change>& changes) {
  if (changes.empty()) return "";
  std::string text = title + "\n";
  text += fmt::format("{:<21}{:>9}{:>12}{:>12}{:>8}{:>9}{:>8}\n", "collective", "size", "old us", "new us", "new/old",
                      "old ratio", "new");
  for (const Change& change : changes) text += line(change);
  return text + "\n";
}

void require_alike(const Run& before, const Run& after) {
  const Setting &a = before.setting, &b = after.setting;
  const std::string then = fmt::format("{} ranks on {} hosts, {} {}", a.ranks, a.hosts.size(), a.type, a.op);
  const std::string now = fmt::format("{} ranks on {} hosts, {} {}", b.ranks, b.hosts.size(), b.type, b.op);
  if (then != now) throw std::runtime_error("the runs cannot be compared: " + then + " against " + now);
}

}  // namespace

Comparison compare_runs(const Run& before, const Run& after) {
  require_alike(before, after);
  std::vector<Change> slower_lines, faster_lines;
  std::size_t both = 0;
  for (const Row& row : after.rows) {
    const auto old = std::find_if(before.rows.begin(), before.rows.end(), [&](const Row& other) {
      return other.collective == row.collective && other.bytes == row.bytes && other.measured();
    });
    if (old == before.rows.end() || !row.measured()) continue;
    ++both;
    const Change change{&*old, &row};
    if (change.direction() > 0) slower_lines.push_back(change);
    if (change.direction() < 0) faster_lines.push_back(change);
  }
  if (both == 0) throw std::runtime_error("the runs cannot be compared: no line is in both");
  std::sort(slower_lines.begin(), slower_lines.end(), [](const Change& a, const Change& b) { return a.time() > b.time(); });
  std::sort(faster_lines.begin(), faster_lines.end(), [](const Change& a, const Change& b) { return a.time() < b.time(); });
  std::string text = table("Slower:", slower_lines) + table("Faster:", faster_lines);
  text += fmt::format("Of {} lines that are in both, {} became slower, {} faster.\n", both, slower_lines.size(),
                      faster_lines.size());
  if (before.setting.mpi_version != after.setting.mpi_version)
    text += fmt::format("NOTE: the MPI changed, and the ratios with it: {}, then {}.\n", before.setting.mpi_version,
                        after.setting.mpi_version);
  return {text, !slower_lines.empty()};
}

}  // namespace xylem::tools

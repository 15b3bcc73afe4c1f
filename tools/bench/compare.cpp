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
  // The same beside the MPI.
  double price() const { return before->ratio(first_peer) / after->ratio(first_peer); }

  // +1: slower, -1: faster, 0: neither for certain.
  int direction() const {
    const Interval old_time = median_interval(before->sides[0].seconds), new_time = median_interval(after->sides[0].seconds);
    const Interval old_ratio = before->ratio_interval(first_peer), new_ratio = after->ratio_interval(first_peer);
    const double ratio = price();
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

// What reproducible sums cost: the times of the second run, as they would be if the MPI had been as fast as in the first.
Comparison price(const std::vector<Change>& changes) {
  std::string text = "The price of reproducible sums, beside the MPI of the same run:\n";
  text += fmt::format("{:<21}{:>9}{:>12}{:>14}{:>8}\n", "collective", "size", "any order", "reproducible", "price");
  bool wrong = false;
  for (const Change& change : changes) {
    const double seconds = change.before->summary(0).median, times = change.price();
    text += fmt::format("{:<21}{:>9}{:>12}{:>14}{:>+7.0f}%{}\n", change.after->collective, size_text(*change.after),
                        format_microseconds(seconds * 1e6), format_microseconds(seconds * times * 1e6), (times - 1) * 100,
                        change.after->wrong() ? "  WRONG RESULTS" : "");
    wrong = wrong || change.after->wrong();
  }
  return {text, wrong};
}

void require_alike(const Run& before, const Run& after) {
  const Setting &a = before.setting, &b = after.setting;
  const std::string then = fmt::format("{} ranks on {} hosts, {} {}", a.ranks, a.hosts.size(), a.type, a.op);
  const std::string now = fmt::format("{} ranks on {} hosts, {} {}", b.ranks, b.hosts.size(), b.type, b.op);
  if (then != now) throw std::runtime_error("the runs cannot be compared: " + then + " against " + now);
  if (a.reproducible && !b.reproducible) throw std::runtime_error("the run with reproducible sums must be the second one");
}

}  // namespace

Comparison compare_runs(const Run& before, const Run& after) {
  require_alike(before, after);
  std::vector<Change> both, slower_lines, faster_lines;
  for (const Row& row : after.rows) {
    const auto old = std::find_if(before.rows.begin(), before.rows.end(), [&](const Row& other) {
      return other.collective == row.collective && other.bytes == row.bytes && other.measured();
    });
    if (old == before.rows.end() || !row.measured()) continue;
    const Change change{&*old, &row};
    both.push_back(change);
    if (change.direction() > 0) slower_lines.push_back(change);
    if (change.direction() < 0) faster_lines.push_back(change);
  }
  if (both.empty()) throw std::runtime_error("the runs cannot be compared: no line is in both");
  if (after.setting.reproducible && !before.setting.reproducible) return price(both);
  std::sort(slower_lines.begin(), slower_lines.end(), [](const Change& a, const Change& b) { return a.time() > b.time(); });
  std::sort(faster_lines.begin(), faster_lines.end(), [](const Change& a, const Change& b) { return a.time() < b.time(); });
  std::string text = table("Slower:", slower_lines) + table("Faster:", faster_lines);
  text += fmt::format("Of {} lines that are in both, {} became slower, {} faster.\n", both.size(), slower_lines.size(),
                      faster_lines.size());
  if (before.setting.mpi_version != after.setting.mpi_version)
    text += fmt::format("NOTE: the MPI changed, and the ratios with it: {}, then {}.\n", before.setting.mpi_version,
                        after.setting.mpi_version);
  return {text, !slower_lines.empty()};
}

}  // namespace xylem::tools

#include "bench/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "units.hpp"

namespace xylem::tools {
namespace {

std::string microseconds(double seconds) { return format_microseconds(seconds * 1e6); }

std::string describe_calls(const nlohmann::json& collectives) {
  long calls = 0;
  std::string algorithms;
  for (const auto& [name, counts] : collectives.items()) {
    calls += counts.at("calls").get<long>();
    std::string list;
    for (const auto& [algorithm, times] : counts.at("algorithms").items())
      list += fmt::format("{}{} {}", list.empty() ? "" : ", ", algorithm, times.get<long>());
    if (!list.empty()) algorithms += fmt::format("  {}: {}\n", name, list);
  }
  return fmt::format("Xylem ran {} calls on rank 0{}\n{}", calls, algorithms.empty() ? "." : ", by algorithm:", algorithms);
}

std::string remarks(const Row& row, const std::vector<std::string>& sides) {
  std::string text;
  if (slower(row)) text = "  slower";
  if (row.noisy()) text += "  noisy";
  if (row.cut_short) text += fmt::format("  cut short ({} rounds)", row.sides.front().seconds.size());
  for (std::size_t side = 0; side < row.sides.size(); ++side)
    if (const long wrong = row.sides[side].wrong_calls; wrong > 0)
      text += fmt::format("  WRONG RESULTS ({}: {})", sides[side], wrong);
  return text;
}

}  // namespace

std::string size_text(const Row& row) { return row.collective == "barrier" ? "" : format_bytes(row.bytes); }

std::string percent_of_limit(const Row& row) {
  return row.of_limit() > 0 ? fmt::format("{:.0f}%", row.of_limit() * 100) : "-";
}

std::string table_head(const Run& run) {
  const Setting& setting = run.setting;
  std::string head =
      fmt::format("{} ranks on {} host{}, {} cores; {} {}{}; Xylem {} against {}\n", setting.ranks, setting.hosts.size(),
                  setting.hosts.size() == 1 ? "" : "s", setting.cores, setting.type, setting.op,
                  setting.reproducible ? ", reproducible" : "", setting.xylem_version, setting.mpi_version);
  for (const auto& [name, title] : setting.peers)
    head += fmt::format("{}: {}, in a job of its own beside this one\n", name, title);
  if (!setting.xylem_loaded) head += "NOTE: Xylem is not loaded in this run: both sides are the MPI.\n";
  head += setting.load_warning;
  head +=
      "Microseconds of a call on the slowest rank; cpu: of all ranks together. limit: the part of what the machine allows\n"
      "that Xylem reaches. ratio: MPI / Xylem, above 1 Xylem is faster; where its median lies with 95% certainty.\n\n";
  head += fmt::format("{:<21}{:>9}{:>32}", "", "", "--------------- Xylem");
  for (std::size_t side = 1; side < run.sides.size(); ++side)
    head += fmt::format("{:>47}", "--------------- " + run.sides[side]);
  head += fmt::format("\n{:<21}{:>9}{:>10}{:>8}{:>8}{:>6}", "collective", "size", "median", "p95", "cpu", "limit");
  for (std::size_t side = 1; side < run.sides.size(); ++side)
    head += fmt::format("{:>10}{:>8}{:>8}{:>7} {:>13}", "median", "p95", "cpu", "ratio", "95%");
  return head + "\n";
}

std::string table_row(const Run& run, const Row& row) {
  std::string text = fmt::format("{:<21}{:>9}", row.collective, size_text(row));
  if (!row.measured()) return text + "  not measured: " + row.left_out + "\n";
  for (std::size_t side = 0; side < row.sides.size(); ++side) {
    const Summary summary = row.summary(side);
    text += fmt::format("{:>10}{:>8}{:>8}", microseconds(summary.median), microseconds(summary.p95),
                        microseconds(row.sides[side].cpu_seconds));
    if (side == 0) {
      text += fmt::format("{:>6}", percent_of_limit(row));
      continue;
    }
    const Interval interval = row.ratio_interval(side);
    text += fmt::format("{:>7.2f} {:>13}", row.ratio(side), fmt::format("{:.2f}-{:.2f}", interval.low, interval.high));
  }
  return text + remarks(row, run.sides) + "\n";
}

std::string histogram_lines(const Run& run, const Row& row) {
  int first = 0, last = -1;
  for (const SideResult& side : row.sides) {
    if (side.calls.empty()) return "";
    const int least = side.calls.counts().begin()->first, most = side.calls.counts().rbegin()->first;
    first = last < 0 ? least : std::min(first, least);
    last = std::max(last, most);
  }
  std::string text;
  for (std::size_t side = 0; side < row.sides.size(); ++side) {
    text += fmt::format("{:>20} {:>8} {} {}\n", run.sides[side], microseconds(Histogram::lower_bound(first)),
                        bars(row.sides[side].calls, first, last), microseconds(Histogram::lower_bound(last + 1)));
  }
  return text;
}

std::string table_foot(const Run& run) {
  if (!run.setting.xylem_loaded) return "\nXylem was not loaded: nothing was compared.\n";
  const auto measured = std::count_if(run.rows.begin(), run.rows.end(), [](const Row& row) { return row.measured(); });
  const auto wins = std::count_if(run.rows.begin(), run.rows.end(), faster);
  const auto losses = std::count_if(run.rows.begin(), run.rows.end(), slower);
  std::string foot = fmt::format("\nXylem is faster in {}, slower in {}, neither in {} of {} lines.\n", wins, losses,
                                 measured - wins - losses, measured);
  if (losses > 0) {
    const auto by_ratio = [](const Row& a, const Row& b) {
      if (!a.measured() || !b.measured()) return a.measured() && !b.measured();
      return a.ratio(a.best_peer()) < b.ratio(b.best_peer());
    };
    const Row& worst = *std::min_element(run.rows.begin(), run.rows.end(), by_ratio);
    foot += fmt::format("Worst: {} {}, ratio {:.2f}.\n", worst.collective, size_text(worst), worst.ratio(worst.best_peer()));
  }
  const auto noisy_rows = std::count_if(run.rows.begin(), run.rows.end(), [](const Row& row) { return row.noisy(); });
  if (noisy_rows > 0)
    foot += fmt::format(
        "NOTE: {} lines are noisy, with a p95 above twice the median: something else ran. Do not trust them.\n", noisy_rows);
  if (std::any_of(run.rows.begin(), run.rows.end(), [](const Row& row) { return row.wrong(); }))
    foot += "SOME RESULTS ARE WRONG.\n";
  if (run.core_statistics.empty()) return foot + "Xylem ran none of the calls: XYLEM_LOG=info tells why.\n";
  return foot + describe_calls(nlohmann::json::parse(run.core_statistics).at("collectives"));
}

std::string limits_table(const Limits& limits) {
  const auto rates = [](const Limits::Copying& copying) {
    return fmt::format("{:.1f} GB/s on one core, {:.1f} GB/s on all together", copying.one_core * 1e-9,
                       copying.all_cores * 1e-9);
  };
  const auto nanoseconds = [](double seconds) {
    return seconds > 0 ? fmt::format("{:.0f} ns", seconds * 1e9) : std::string("unknown: there is one core");
  };
  std::string text = fmt::format("Limits of the {} cores that the ranks of the first host use\n", limits.cores.size());
  const auto line = [&](const char* what, const std::string& value) { text += fmt::format("  {:<50}{}\n", what, value); };
  line("cache line to another core, one way, nearest two", nanoseconds(limits.line_seconds));
  line("the same, farthest two", nanoseconds(limits.far_line_seconds));
  line("memcpy, in a core's own caches", rates(limits.in_cache));
  line("memcpy, in no cache", rates(limits.in_memory));
  line("sched_yield with nobody else there", nanoseconds(limits.yield_seconds));
  line("switch to another process by sched_yield", nanoseconds(limits.switch_seconds));
  line("futex: wake a process on another core", nanoseconds(limits.wake_seconds));
  line("futex: wake a process on the same core", nanoseconds(limits.wake_here_seconds));
  return text;
}

std::string report_csv(const Run& run) {
  std::string text = "collective,bytes,least_us,cut_short,left_out";
  for (const std::string& side : run.sides) text += fmt::format(",{0}_median_us,{0}_p95_us,{0}_cpu_us,{0}_wrong_calls", side);
  for (std::size_t side = 1; side < run.sides.size(); ++side)
    text += fmt::format(",ratio_{0},ratio_low_{0},ratio_high_{0}", run.sides[side]);
  text += "\n";
  for (const Row& row : run.rows) {
    text += fmt::format("{},{},{:.4f},{},\"{}\"", row.collective, row.bytes, row.least_seconds * 1e6, row.cut_short ? 1 : 0,
                        row.left_out);
    for (std::size_t side = 0; side < run.sides.size(); ++side) {
      if (!row.measured()) {
        text += ",,,,";
        continue;
      }
      const Summary summary = row.summary(side);
      text += fmt::format(",{:.4f},{:.4f},{:.4f},{}", summary.median * 1e6, summary.p95 * 1e6,
                          row.sides[side].cpu_seconds * 1e6, row.sides[side].wrong_calls);
    }
    for (std::size_t side = 1; side < run.sides.size(); ++side) {
      if (!row.measured()) {
        text += ",,,";
        continue;
      }
      const Interval interval = row.ratio_interval(side);
      text += fmt::format(",{:.4f},{:.4f},{:.4f}", row.ratio(side), interval.low, interval.high);
    }
    text += "\n";
  }
  return text;
}

}  // namespace xylem::tools

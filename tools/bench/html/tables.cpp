#include "bench/html/tables.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bench/html/page.hpp"
#include "bench/table.hpp"
#include "svg/escaped.hpp"
#include "units.hpp"

namespace xylem::tools {
namespace {

std::string microseconds(double seconds) { return format_microseconds(seconds * 1e6); }

std::string cell(const std::string& text) { return "<td>" + text + "</td>"; }

std::string head(const std::vector<std::string>& names) {
  std::string text = "<thead><tr>";
  for (const std::string& name : names) text += "<th>" + escaped(name) + "</th>";
  return text + "</tr></thead>\n";
}

std::string interval_text(const Interval& interval) { return fmt::format("{:.2f}–{:.2f}", interval.low, interval.high); }

// Small bars, one for each class of time.
std::string histogram_drawing(const Histogram& histogram) {
  if (histogram.empty()) return "";
  constexpr int bar = 4, height = 18;
  const int first = histogram.counts().begin()->first, last = histogram.counts().rbegin()->first;
  std::size_t most = 1;
  for (const auto& [number, times] : histogram.counts()) most = std::max(most, times);
  const int width = (last - first + 1) * bar;
  std::string svg =
      fmt::format(R"(<svg width="{0}" height="{1}" viewBox="0 0 {0} {1}"><title>{2} to {3} µs</title>)", width, height,
                  microseconds(Histogram::lower_bound(first)), microseconds(Histogram::lower_bound(last + 1)));
  for (const auto& [number, times] : histogram.counts()) {
    const double tall = std::max(1.0, height * static_cast<double>(times) / static_cast<double>(most));
    svg += fmt::format(R"(<rect class="bar" x="{}" y="{:.1f}" width="{}" height="{:.1f}"/>)", (number - first) * bar,
                       height - tall, bar - 1, tall);
  }
  return svg + "</svg>";
}

std::string notes_of(const Row& row) {
  std::string text;
  if (row.wrong()) text += "<strong>wrong results</strong> ";
  if (row.noisy()) text += "noisy ";
  if (row.cut_short) text += fmt::format("cut short ({} rounds)", row.sides.front().seconds.size());
  return text;
}

std::string line(const Run& run, const Row& row) {
  std::string text =
      fmt::format(R"(<tr class="{}">)", slower(row) ? "slower" : "") + cell(row.collective) + cell(size_text(row));
  if (!row.measured())
    return text +
           fmt::format(R"(<td colspan="{}" class="left">not measured: {}</td></tr>)", run.sides.size() * 5,
                       escaped(row.left_out)) +
           "\n";
  for (std::size_t side = 0; side < row.sides.size(); ++side) {
    const Summary summary = row.summary(side);
    text += cell(microseconds(summary.median)) + cell(microseconds(summary.p95)) +
            cell(microseconds(row.sides[side].cpu_seconds) + histogram_drawing(row.sides[side].calls));
    text += side == 0 ? cell(percent_of_limit(row))
                      : cell(fmt::format("{:.2f}", row.ratio(side))) + cell(interval_text(row.ratio_interval(side)));
  }
  return text + cell(notes_of(row)) + "</tr>\n";
}

}  // namespace

std::string table_of_losses(const std::vector<Run>& runs) {
  struct Loss {
    const Run* run;
    const Row* row;
    double ratio() const { return row->ratio(row->best_peer()); }
  };
  std::vector<Loss> losses;
  for (const Run& run : runs)
    for (const Row& row : run.rows)
      if (slower(row)) losses.push_back({&run, &row});
  if (losses.empty()) return "<p>None: in no line is Xylem slower than the best of its peers.</p>\n";
  std::sort(losses.begin(), losses.end(), [](const Loss& a, const Loss& b) { return a.ratio() < b.ratio(); });
  std::string text = "<div class=\"wide\"><table>" +
                     head({"collective", "size", "run", "Xylem µs", "peer", "peer µs", "ratio", "95 %", ""}) + "<tbody>\n";
  for (const Loss& loss : losses) {
    const Row& row = *loss.row;
    const std::size_t peer = row.best_peer();
    text += "<tr class=\"slower\">" + cell(row.collective) + cell(size_text(row)) + cell(escaped(run_title(*loss.run))) +
            cell(microseconds(row.summary(0).median)) + cell(escaped(loss.run->sides[peer])) +
            cell(microseconds(row.summary(peer).median)) + cell(fmt::format("{:.2f}", loss.ratio())) +
            cell(interval_text(row.ratio_interval(peer))) + cell(notes_of(row)) + "</tr>\n";
  }
  return text + "</tbody></table></div>\n";
}

std::string table_of_lines(const Run& run) {
  std::vector<std::string> names = {"collective", "size", "Xylem µs", "p95", "cpu", "of the limit"};
  for (std::size_t side = 1; side < run.sides.size(); ++side)
    names.insert(names.end(), {run.sides[side] + " µs", "p95", "cpu", "ratio", "95 %"});
  names.emplace_back();
  std::string text = "<div class=\"wide\"><table>" + head(names) + "<tbody>\n";
  for (const Row& row : run.rows) text += line(run, row);
  return text + "</tbody></table></div>\n";
}

std::string table_of_limits(const Limits& limits) { return "<pre>" + escaped(limits_table(limits)) + "</pre>\n"; }

}  // namespace xylem::tools

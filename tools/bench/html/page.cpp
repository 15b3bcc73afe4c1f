#include "bench/html/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bench/html/curves.hpp"
#include "bench/html/heat_map.hpp"
#include "bench/html/tables.hpp"
#include "svg/escaped.hpp"

namespace xylem::tools {
namespace {

constexpr const char* style = R"css(
:root{color-scheme:light dark;--paper:#fff;--ink:#1b1f24;--faint:#667080;--rule:#dde1e6;--card:#f6f7f9;--win:#2f8f5b;--loss:#d0542c;
--even:#8c96a3;--mine:#1769c4;--peer:#d0542c;--other:#7a4fb5}
@media (prefers-color-scheme:dark){:root{--paper:#14171b;--ink:#e4e7eb;--faint:#98a2b0;--rule:#30363e;--card:#1c2026;--win:#3fae74;
--loss:#e8703f;--even:#5d6773;--mine:#5fa8f5;--peer:#f08a5d;--other:#b794f0}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:1240px;padding:24px;background:var(--paper);color:var(--ink);font:15px/1.5 system-ui,sans-serif}
h1{font-size:26px;margin:0 0 4px}h2{font-size:20px;margin:36px 0 8px;border-bottom:1px solid var(--rule);padding-bottom:4px}
h3{font-size:15px;margin:0 0 6px}
p{margin:6px 0}.faint,text.faint{color:var(--faint);fill:var(--faint)}
code,pre{font:13px/1.45 ui-monospace,monospace;background:var(--card);border-radius:6px}code{padding:1px 5px}
pre{padding:10px 14px;overflow-x:auto;white-space:pre-wrap}
.tiles{display:flex;flex-wrap:wrap;gap:12px;margin:14px 0}
.tile{background:var(--card);border-radius:10px;padding:10px 18px;min-width:120px}.tile b{display:block;font-size:24px}
.wide{overflow-x:auto}
table{border-collapse:collapse;font-size:13px;font-variant-numeric:tabular-nums}
th,td{padding:3px 10px;text-align:right;white-space:nowrap;border-bottom:1px solid var(--rule)}
th{color:var(--faint);font-weight:600}th:first-child,td:first-child,td.left{text-align:left}
tr.slower td:first-child{box-shadow:inset 3px 0 var(--loss)}
td svg{vertical-align:middle;margin-left:8px}
.cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(560px,1fr));gap:14px}
@media (max-width:640px){.cards{grid-template-columns:1fr}}
.card{background:var(--card);border-radius:10px;padding:12px 14px}.card div{display:grid;grid-template-columns:1fr 1fr;gap:8px}
svg text{font:11px system-ui,sans-serif;fill:var(--ink)}.plot{width:100%;height:auto}.plot text{font-size:13px}
.grid{stroke:var(--rule);fill:none}.curve{fill:none;stroke-width:2.2}.curve.limit{stroke:var(--even);stroke-dasharray:5 4}
.curve.side0{stroke:var(--mine)}.curve.side1{stroke:var(--peer)}.curve.side2{stroke:var(--other)}
circle.side0{fill:var(--mine)}circle.side1{fill:var(--peer)}circle.side2{fill:var(--other)}circle.limit{fill:none}
.win{fill:var(--win)}.loss{fill:var(--loss)}.even{fill:var(--even)}.bar{fill:var(--mine)}.key{margin-right:18px;white-space:nowrap}
)css";

std::string tile(const std::string& figure, const std::string& what) {
  return fmt::format("<div class=\"tile\"><b>{}</b>{}</div>\n", figure, what);
}

std::string tiles(const std::vector<Run>& runs) {
  std::size_t lines = 0, wins = 0, losses = 0, wrong = 0;
  double logarithms = 0;
  for (const Run& run : runs) {
    for (const Row& row : run.rows) {
      if (!row.measured()) continue;
      ++lines;
      wins += faster(row) ? 1 : 0;
      losses += slower(row) ? 1 : 0;
      wrong += row.wrong() ? 1 : 0;
      logarithms += std::log(row.ratio(row.best_peer()));
    }
  }
  std::string text = "<div class=\"tiles\">" + tile(std::to_string(lines), "lines measured");
  text += tile(std::to_string(wins), "Xylem faster") + tile(std::to_string(losses), "Xylem slower");
  text += tile(std::to_string(lines - wins - losses), "neither, for certain");
  if (lines > 0)
    text += tile(fmt::format("{:.2f}", std::exp(logarithms / static_cast<double>(lines))), "geometric mean of ratios");
  if (wrong > 0) text += tile(std::to_string(wrong), "<strong>with wrong results</strong>");
  return text + "</div>\n";
}

std::string command_line(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::string about(const Run& run) {
  const Setting& setting = run.setting;
  std::string text =
      fmt::format("<p>{}, {} cores; {}; Xylem {}; {} {}.</p>\n<p><code>{}</code></p>\n", escaped(setting.processor),
                  setting.cores, escaped(setting.kernel), escaped(setting.xylem_version), escaped(setting.type),
                  escaped(setting.op), escaped(command_line(setting.command)));
  if (!setting.load_warning.empty()) text += "<p><strong>" + escaped(setting.load_warning) + "</strong></p>\n";
  if (!setting.xylem_loaded) text += "<p><strong>Xylem was not loaded: both sides are the MPI.</strong></p>\n";
  return text;
}

std::string cards(const Run& run) {
  std::string text = "<div class=\"cards\">\n", before;
  for (const Row& row : run.rows) {
    if (row.collective == before) continue;
    before = row.collective;
    const std::string curves = time_curves(run, row.collective) + limit_curves(run, row.collective);
    if (!curves.empty())
      text += "<div class=\"card\"><h3>" + escaped(row.collective) + "</h3><div>" + curves + "</div></div>\n";
  }
  return text + "</div>\n";
}

}  // namespace

std::string run_title(const Run& run) {
  const Setting& setting = run.setting;
  return fmt::format("{} ranks on {} host{}, {}", setting.ranks, setting.hosts.size(), setting.hosts.size() == 1 ? "" : "s",
                     setting.mpi_version);
}

std::string html_page(const std::vector<Run>& runs) {
  std::string page =
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Xylem benchmark</title>\n"
      "<meta name=\"viewport\" content=\"width=device-width\"><style>" +
      std::string(style) + "</style></head><body>\n";
  page +=
      "<h1>Xylem benchmark</h1>\n<p class=\"faint\">Time of a call on the slowest rank. Ratio: time of the fastest peer "
      "divided by "
      "Xylem's, round by round in turn; above 1, Xylem is faster. Intervals hold the median with 95 % certainty.</p>\n";
  page += tiles(runs);
  page += "<h2>Where Xylem is slower</h2>\n" + table_of_losses(runs);
  page +=
      "<h2>Ratio by collective, size and ranks</h2>\n<p class=\"faint\">Green: Xylem is faster; orange: slower; grey: no "
      "certain "
      "difference of more than 3 %.</p>\n";
  for (const Run& run : runs)
    page += "<h3>" + escaped(run_title(run)) + "</h3><div class=\"wide\">" + heat_map(run) + "</div>\n";
  for (const Run& run : runs) {
    page += "<h2>" + escaped(run_title(run)) + "</h2>\n" + about(run) + "<h3>Time, and part of the limit, over size</h3>\n" +
            curves_legend(run) + cards(run);
    page += "<details><summary>All lines</summary>\n" + table_of_lines(run) + "</details>\n";
    page += "<details><summary>Limits of the machine</summary>\n" + table_of_limits(run.limits) + "</details>\n";
  }
  return page + "</body></html>\n";
}

}  // namespace xylem::tools

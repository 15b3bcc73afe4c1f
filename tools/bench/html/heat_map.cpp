#include "bench/html/heat_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bench/table.hpp"
#include "svg/escaped.hpp"
#include "units.hpp"

namespace xylem::tools {
namespace {

constexpr int names_width = 150, field_width = 52, field_height = 24, head_height = 22;

std::vector<std::size_t> sizes_of(const Run& run) {
  std::vector<std::size_t> sizes;
  for (const Row& row : run.rows)
    if (row.collective != "barrier") sizes.push_back(row.bytes);
  if (sizes.empty()) sizes.push_back(0);
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

std::vector<std::string> collectives_of(const Run& run) {
  std::vector<std::string> names;
  for (const Row& row : run.rows)
    if (names.empty() || names.back() != row.collective) names.push_back(row.collective);
  return names;
}

std::string verdict(const Row& row) { return slower(row) ? "loss" : faster(row) ? "win" : "even"; }

// Full colour at a factor of 8; none to speak of where nothing is certain.
double opacity(const Row& row, double ratio) {
  constexpr double palest = 0.14, fullest = 0.9, doublings = 3;
  if (!slower(row) && !faster(row)) return palest;
  return palest + (fullest - palest) * std::min(std::abs(std::log2(ratio)) / doublings, 1.0);
}

std::string field(const Run& run, const Row& row, int x, int y) {
  if (!row.measured())
    return fmt::format(R"(<text class="faint" x="{}" y="{}" text-anchor="middle">–</text>)", x + field_width / 2, y + 16);
  const std::size_t peer = row.best_peer();
  const double ratio = row.ratio(peer);
  const Interval interval = row.ratio_interval(peer);
  return fmt::format(
      R"(<g><title>{} {}: {:.2f} ({:.2f}-{:.2f}) of {}</title><rect class="{}" x="{}" y="{}" width="{}" height="{}" fill-opacity="{:.2f}"/>)"
      R"(<text x="{}" y="{}" text-anchor="middle">{:.{}f}</text></g>)",
      escaped(row.collective), size_text(row), ratio, interval.low, interval.high, escaped(run.sides[peer]), verdict(row),
      x + 1, y + 1, field_width - 2, field_height - 2, opacity(row, ratio), x + field_width / 2, y + 16, ratio,
      ratio < 9.995 ? 2 : 0);
}

}  // namespace

std::string heat_map(const Run& run) {
  const std::vector<std::size_t> sizes = sizes_of(run);
  const std::vector<std::string> names = collectives_of(run);
  const int width = names_width + field_width * static_cast<int>(sizes.size());
  const int height = head_height + field_height * static_cast<int>(names.size());
  std::string svg = fmt::format(
      R"(<svg class="heat" width="{0}" height="{1}" viewBox="0 0 {0} {1}" role="img" aria-label="ratio by collective and size">)",
      width, height);
  const auto x_of = [&](std::size_t column) { return names_width + field_width * static_cast<int>(column); };
  for (std::size_t column = 0; column < sizes.size(); ++column)
    svg += fmt::format(R"(<text class="faint" x="{}" y="14" text-anchor="middle">{}</text>)", x_of(column) + field_width / 2,
                       format_bytes(sizes[column]));
  for (std::size_t line = 0; line < names.size(); ++line) {
    const int y = head_height + field_height * static_cast<int>(line);
    svg += fmt::format(R"(<text x="{}" y="{}" text-anchor="end">{}</text>)", names_width - 8, y + 16, escaped(names[line]));
    for (const Row& row : run.rows) {
      if (row.collective != names[line]) continue;
      const auto column = std::find(sizes.begin(), sizes.end(), row.bytes) - sizes.begin();
      // A barrier has one field, and no size.
      svg += field(run, row, x_of(row.collective == "barrier" ? 0 : static_cast<std::size_t>(column)), y);
    }
    svg += "\n";
  }
  return svg + "</svg>\n";
}

}  // namespace xylem::tools

#include "bench/html/curves.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "svg/escaped.hpp"
#include "svg/log_scale.hpp"
#include "units.hpp"

namespace xylem::tools {
namespace {

constexpr double width = 360, height = 200, left = 58, top = 8, right = 14, bottom = 30;
constexpr double plot_right = width - right, plot_bottom = height - bottom;
constexpr int most_marks = 6;

using Points = std::vector<std::pair<double, double>>;

struct Curve {
  std::string style;  // class in the page's style sheet
  std::string name;
  Points points;
};

std::string style_of(std::size_t side) { return fmt::format("side{}", side); }

std::string time_mark(double microseconds) {
  constexpr double thousand = 1e3, million = 1e6;
  if (microseconds < thousand) return fmt::format("{:.3g} µs", microseconds);
  return microseconds < million ? fmt::format("{:.3g} ms", microseconds / thousand)
                                : fmt::format("{:.3g} s", microseconds / million);
}

// What `value(row)` gives, above 0, for every size of the collective that was measured.
template <class Value>
Points points_of(const Run& run, const std::string& collective, const Value& value) {
  Points points;
  for (const Row& row : run.rows)
    if (row.collective == collective && row.measured() && row.bytes > 0 && value(row) > 0)
      points.emplace_back(static_cast<double>(row.bytes), value(row));
  std::sort(points.begin(), points.end());
  return points;
}

std::string grid_across(const LogScale& across) {
  std::string svg;
  for (const double bytes : across.marks(most_marks)) {
    const double x = across.place(bytes);
    svg += fmt::format(
        R"(<path class="grid" d="M{0:.1f} {1}V{2}"/><text class="faint" x="{0:.1f}" y="{3}" text-anchor="middle">{4}</text>)",
        x, top, plot_bottom, plot_bottom + 20, format_bytes(static_cast<std::size_t>(bytes + 0.5)));
  }
  return svg;
}

std::string grid_up(double y, const std::string& mark) {
  return fmt::format(
      R"(<path class="grid" d="M{0} {1:.1f}H{2}"/><text class="faint" x="{3}" y="{4:.1f}" text-anchor="end">{5}</text>)",
      left, y, plot_right, left - 6, y + 4, mark);
}

template <class Up>
std::string drawn(const Curve& curve, const LogScale& across, const Up& up) {
  std::string path, dots;
  for (const auto& [bytes, value] : curve.points) {
    const double x = across.place(bytes), y = up(value);
    path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", x, y);
    dots += fmt::format(R"(<circle class="{}" cx="{:.1f}" cy="{:.1f}" r="2.5"><title>{} {}: {:.4g}</title></circle>)",
                        curve.style, x, y, escaped(curve.name), format_bytes(static_cast<std::size_t>(bytes)), value);
  }
  return fmt::format(R"(<path class="curve {}" d="{}"/>)", curve.style, path) + dots + "\n";
}

template <class Up>
std::string figure(const std::string& label, const std::vector<Curve>& curves, const LogScale& across, const Up& up,
                   const std::string& marks_up) {
  std::string svg = fmt::format(R"(<svg class="plot" viewBox="0 0 {} {}" role="img" aria-label="{}">)", width, height, label);
  svg += grid_across(across) + marks_up;
  for (const Curve& curve : curves) svg += drawn(curve, across, up);
  return svg + "</svg>\n";
}

bool any_points(const std::vector<Curve>& curves) {
  return std::any_of(curves.begin(), curves.end(), [](const Curve& curve) { return !curve.points.empty(); });
}

LogScale sizes_of(const std::vector<Curve>& curves) {
  constexpr double doubling = 2;
  LogScale across(doubling, left, plot_right);
  for (const Curve& curve : curves)
    for (const auto& [bytes, value] : curve.points) across.take(bytes);
  across.round_outwards();
  return across;
}

}  // namespace

std::string time_curves(const Run& run, const std::string& collective) {
  std::vector<Curve> curves = {
      {"limit", "limit", points_of(run, collective, [](const Row& row) { return row.least_seconds * 1e6; })}};
  for (std::size_t side = run.sides.size(); side-- > 0;)  // Xylem's on top of the others
    curves.push_back({style_of(side), run.sides[side],
                      points_of(run, collective, [&](const Row& row) { return row.summary(side).median * 1e6; })});
  if (!any_points(curves)) return "";
  const LogScale across = sizes_of(curves);
  constexpr double tens = 10;
  LogScale up(tens, plot_bottom, top);
  for (const Curve& curve : curves)
    for (const auto& [bytes, microseconds] : curve.points) up.take(microseconds);
  up.round_outwards();
  std::string marks;
  for (const double value : up.marks(most_marks)) marks += grid_up(up.place(value), time_mark(value));
  return figure(
      "time over size", curves, across, [&](double value) { return up.place(value); }, marks);
}

std::string limit_curves(const Run& run, const std::string& collective) {
  std::vector<Curve> curves;
  double most = 1;
  for (std::size_t side = run.sides.size(); side-- > 0;) {
    curves.push_back({style_of(side), run.sides[side], points_of(run, collective, [&](const Row& row) {
                        return row.least_seconds / row.summary(side).median;
                      })});
    for (const auto& [bytes, part] : curves.back().points) most = std::max(most, part);
  }
  if (!any_points(curves)) return "";
  const auto up = [&](double part) { return plot_bottom + (top - plot_bottom) * part / most; };
  std::string marks;
  for (const int percent : {0, 25, 50, 75, 100}) marks += grid_up(up(percent / 100.0), fmt::format("{}%", percent));
  return figure("part of the limit over size", curves, sizes_of(curves), up, marks);
}

std::string curves_legend(const Run& run) {
  const auto entry = [](const std::string& style, const std::string& name) {
    return fmt::format(
        R"(<span class="key"><svg width="26" height="10"><path class="curve {}" d="M1 5H25"/></svg> {}</span> )", style,
        escaped(name));
  };
  std::string text = "<p>";
  for (std::size_t side = 0; side < run.sides.size(); ++side) text += entry(style_of(side), title_of(run, side));
  return text + entry("limit", "limit of the machine") + "</p>\n";
}

}  // namespace xylem::tools

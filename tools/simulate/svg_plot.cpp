#include "simulate/svg_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "svg/escaped.hpp"
#include "svg/log_scale.hpp"

namespace xylem::tools {
namespace {

constexpr double plot_width = 560, plot_height = 300, left = 90, top = 40, gap = 90, legend_width = 190;
constexpr int most_marks = 9;

// Colours that are told apart by most eyes (Okabe and Ito), and dashes for those who see none.
constexpr std::array colours = {"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000", "#56B4E9", "#E69F00", "#7A5195"};
constexpr std::array dashes = {"none", "7 3", "2 3", "9 3 2 3"};

std::string stroke_of(std::size_t line) {
  return fmt::format(R"svg(stroke="{}" stroke-dasharray="{}")svg", colours[line % colours.size()],
                     dashes[line / colours.size() % dashes.size()]);
}

std::string axes(const LogScale& across, const LogScale& up, const PlotAxis& x, const PlotAxis& y) {
  std::string svg;
  for (const double value : across.marks(most_marks)) {
    svg += fmt::format(
        R"svg(<path class="grid" d="M{0:.1f} 0V{1}"/><text x="{0:.1f}" y="{2}" text-anchor="middle">{3}</text>)svg",
        across.place(value), plot_height, plot_height + 16, escaped(x.mark(value)));
  }
  for (const double value : up.marks(most_marks)) {
    svg +=
        fmt::format(R"svg(<path class="grid" d="M0 {0:.1f}H{1}"/><text x="-8" y="{2:.1f}" text-anchor="end">{3}</text>)svg",
                    up.place(value), plot_width, up.place(value) + 4, escaped(y.mark(value)));
  }
  svg += fmt::format(R"svg(<rect class="frame" width="{}" height="{}"/>)svg", plot_width, plot_height);
  svg += fmt::format(R"svg(<text x="{}" y="{}" text-anchor="middle">{}</text>)svg", plot_width / 2, plot_height + 36,
                     escaped(x.label));
  return svg +
         fmt::format(R"svg(<text transform="translate(-70 {}) rotate(-90)" text-anchor="middle">{}</text>)svg",
                     plot_height / 2, escaped(y.label)) +
         "\n";
}

std::string drawn(const PlotLine& line, std::size_t number, const LogScale& across, const LogScale& up) {
  std::string points;
  for (const auto& [x, y] : line.points) points += fmt::format(" {:.1f},{:.1f}", across.place(x), up.place(y));
  return fmt::format(R"svg(<polyline class="line" {} points="{}"><title>{}</title></polyline>)svg", stroke_of(number),
                     points.empty() ? points : points.substr(1), escaped(line.name)) +
         "\n";
}

std::vector<std::string> names_of(const std::vector<PlotPanel>& panels) {
  std::vector<std::string> names;
  for (const PlotPanel& panel : panels)
    for (const PlotLine& line : panel.lines)
      if (std::find(names.begin(), names.end(), line.name) == names.end()) names.push_back(line.name);
  return names;
}

std::string legend(const std::vector<std::string>& names) {
  std::string svg;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const double y = top + 10 + 20 * static_cast<double>(i), x = left + plot_width + 20;
    svg += fmt::format(R"svg(<path class="line" {} d="M{} {}h30"/><text x="{}" y="{}">{}</text>)svg", stroke_of(i), x, y,
                       x + 38, y + 4, escaped(names[i])) +
           "\n";
  }
  return svg;
}

}  // namespace

std::string svg_plot(const std::vector<PlotPanel>& panels, const PlotAxis& x, const PlotAxis& y) {
  LogScale across(x.base, 0, plot_width), up(y.base, plot_height, 0);
  for (const PlotPanel& panel : panels) {
    for (const PlotLine& line : panel.lines) {
      for (const auto& [right, above] : line.points) {
        across.take(right);
        up.take(above);
      }
    }
  }
  across.round_outwards();
  up.round_outwards();

  const std::vector<std::string> names = names_of(panels);
  std::string svg = fmt::format(
      R"svg(<svg xmlns="http://www.w3.org/2000/svg" width="{0}" height="{1}" viewBox="0 0 {0} {1}" font-family="sans-serif" font-size="12">
<style>.grid{{stroke:#ddd}}.frame{{fill:none;stroke:#444}}.line{{fill:none;stroke-width:2}}</style>
<rect width="100%" height="100%" fill="white"/>
)svg",
      left + plot_width + legend_width, top + (plot_height + gap) * static_cast<double>(panels.size()));
  for (std::size_t number = 0; number < panels.size(); ++number) {
    svg += fmt::format(R"svg(<g transform="translate({} {})"><text y="-10" font-weight="bold">{}</text>)svg", left,
                       top + (plot_height + gap) * static_cast<double>(number), escaped(panels[number].title));
    svg += axes(across, up, x, y);
    for (const PlotLine& line : panels[number].lines) {
      const auto place = std::find(names.begin(), names.end(), line.name) - names.begin();
      svg += drawn(line, static_cast<std::size_t>(place), across, up);
    }
    svg += "</g>\n";
  }
  return svg + legend(names) + "</svg>\n";
}

}  // namespace xylem::tools

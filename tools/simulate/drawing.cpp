#include <fmt/format.h>

#include <algorithm>

#include "plan/catalogue.hpp"
#include "simulate/report.hpp"
#include "simulate/svg_plot.hpp"
#include "units.hpp"

namespace xylem::tools {
namespace {

// The lines of all algorithms, of what is known at each x.
std::vector<PlotLine> lines_over(const std::vector<std::pair<double, std::vector<simulate::Prediction>>>& columns) {
  std::vector<PlotLine> lines;
  for (std::uint32_t algorithm = 0; algorithm < plan::catalogue().size(); ++algorithm) {
    PlotLine line{plan::catalogue()[algorithm].name, {}};
    for (const auto& [x, predictions] : columns)
      for (const simulate::Prediction& prediction : predictions)
        if (prediction.algorithm == algorithm) line.points.emplace_back(x, prediction.seconds * 1e6);
    if (!line.points.empty()) lines.push_back(std::move(line));
  }
  return lines;
}

std::string microseconds_mark(double value) { return value < 1 ? fmt::format("{:.3g}", value) : format_microseconds(value); }
std::string bytes_mark(double value) { return format_bytes(static_cast<std::size_t>(value + 0.5)); }
std::string ranks_mark(double value) { return fmt::format("{:.0f}", value); }

constexpr double doubled = 2;

}  // namespace

std::string simulation_svg(const std::vector<SimulatedHosts>& all, const SimulateOptions& options) {
  const PlotAxis time{"microseconds", 10, microseconds_mark};
  if (all.size() == 1) {
    // At every doubling, not only where the table looks.
    const auto [least, most] = std::minmax_element(options.bytes.begin(), options.bytes.end());
    const simulate::Scenario there = scenario(options, all.front().hosts);
    std::vector<std::pair<double, std::vector<simulate::Prediction>>> columns;
    for (std::size_t bytes = std::max<std::size_t>(*least, 1);; bytes = std::min(bytes * 2, *most)) {
      columns.emplace_back(static_cast<double>(bytes), simulate::predict(there, bytes));
      if (bytes >= *most) break;
    }
    const std::string title =
        fmt::format("{} on {} ranks, {} on each host", options.collective, all.front().ranks, options.ranks_per_host);
    return svg_plot({{title, lines_over(columns)}}, {"bytes", doubled, bytes_mark}, time);
  }
  std::vector<PlotPanel> panels;
  for (std::size_t size = 0; size < options.bytes.size(); ++size) {
    std::vector<std::pair<double, std::vector<simulate::Prediction>>> columns;
    for (const SimulatedHosts& simulated : all)
      columns.emplace_back(static_cast<double>(simulated.ranks), simulated.sizes[size].predictions);
    panels.push_back({fmt::format("{} of {}, {} ranks on each host", options.collective, format_bytes(options.bytes[size]),
                                  options.ranks_per_host),
                      lines_over(columns)});
  }
  return svg_plot(panels, {"ranks", doubled, ranks_mark}, time);
}

}  // namespace xylem::tools

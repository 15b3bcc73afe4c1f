// Lines over two logarithmic axes, as SVG: nothing but text, so it can be read, compared and changed by hand.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace xylem::tools {

// Points are above 0, in rising order of x.
struct PlotLine {
  std::string name;
  std::vector<std::pair<double, double>> points;
};

struct PlotPanel {
  std::string title;
  std::vector<PlotLine> lines;
};

struct PlotAxis {
  std::string label;
  double base = 10;                   // a mark at its powers
  std::string (*mark)(double value);  // what is written there
};

// The panels below each other, with the same axes and one legend. A line has its colour and dashes by its place among the
// names of all panels, and is named once.
std::string svg_plot(const std::vector<PlotPanel>& panels, const PlotAxis& x, const PlotAxis& y);

}  // namespace xylem::tools

#include "bench/histogram.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace xylem::tools {
namespace {

constexpr double unit = 1e-9;  // seconds; a class has the same number in every run

}  // namespace

void Histogram::add(double seconds) {
  put(static_cast<int>(std::floor(std::log2(std::max(seconds, unit) / unit) * classes_per_octave)), 1);
}

double Histogram::lower_bound(int number) { return unit * std::exp2(static_cast<double>(number) / classes_per_octave); }

std::string bars(const Histogram& histogram, int first, int last) {
  static constexpr std::array heights = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  std::size_t most = 1;
  for (const auto& [number, times] : histogram.counts()) most = std::max(most, times);
  std::string text;
  for (int number = first; number <= last; ++number) {
    const auto found = histogram.counts().find(number);
    text += found == histogram.counts().end() ? " " : heights[(found->second * (heights.size() - 1)) / most];
  }
  return text;
}

}  // namespace xylem::tools

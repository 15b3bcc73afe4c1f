#include "samples.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace xylem::tools {

double percentile(std::vector<double> samples, double fraction) {
  if (samples.empty()) return std::numeric_limits<double>::quiet_NaN();
  std::sort(samples.begin(), samples.end());
  const double position = fraction * static_cast<double>(samples.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, samples.size() - 1);
  return std::lerp(samples[below], samples[above], position - static_cast<double>(below));
}

Interval median_interval(std::vector<double> samples) {
  if (samples.empty()) return {percentile({}, 0), percentile({}, 0)};
  std::sort(samples.begin(), samples.end());
  // The number of samples below the median is binomial; normal approximation, widened to whole ranks.
  constexpr double two_sided_95 = 1.96;
  const auto count = static_cast<double>(samples.size());
  const double reach = two_sided_95 * std::sqrt(count) / 2;
  const auto low = static_cast<std::size_t>(std::max(std::floor(count / 2 - reach), 0.0));
  const auto high = static_cast<std::size_t>(std::min(std::ceil(count / 2 + reach), count - 1));
  return {samples[low], samples[high]};
}

Summary summarize(const std::vector<double>& samples) {
  return {percentile(samples, 0.5), percentile(samples, 0.95), percentile(samples, 0)};
}

bool noisy(const Summary& summary) { return summary.p95 > 2 * summary.median; }

}  // namespace xylem::tools

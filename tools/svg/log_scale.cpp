#include "svg/log_scale.hpp"

#include <algorithm>
#include <cmath>

namespace xylem::tools {

LogScale::LogScale(double base, double from, double to) : base_(std::log(base)), from_(from), to_(to) {}

void LogScale::take(double value) {
  least_ = std::min(least_, std::log(value) / base_);
  most_ = std::max(most_, std::log(value) / base_);
}

void LogScale::round_outwards() {
  least_ = std::floor(least_ + 1e-9);
  most_ = std::max(std::ceil(most_ - 1e-9), least_ + 1);
}

double LogScale::place(double value) const {
  return from_ + (std::log(value) / base_ - least_) / (most_ - least_) * (to_ - from_);
}

std::vector<double> LogScale::marks(int most) const {
  const int step = static_cast<int>(std::ceil((most_ - least_) / most));
  std::vector<double> values;
  for (double at = least_; at <= most_ + 1e-9; at += step) values.push_back(std::exp(at * base_));
  return values;
}

}  // namespace xylem::tools

// Where values lie along a logarithmic axis, and where it has marks.
#pragma once

#include <vector>

namespace xylem::tools {

class LogScale {
 public:
  // Marks are at powers of `base`; the axis runs from `from` to `to` on the paper.
  LogScale(double base, double from, double to);

  // Makes room for a value above 0.
  void take(double value);
  // Lets the axis begin and end at marks. REQUIRES: some value was taken.
  void round_outwards();

  double place(double value) const;
  // Every so many powers, not more than `most` in all.
  std::vector<double> marks(int most) const;

 private:
  double base_, from_, to_;  // base_: its logarithm
  double least_ = 1e300, most_ = -1e300;
};

}  // namespace xylem::tools

// What a set of measured times comes to.
#pragma once

#include <vector>

namespace xylem::tools {

// The value below which `fraction` of the samples lie, interpolated between neighbours; 0.5 is the median. NaN of no samples.
double percentile(std::vector<double> samples, double fraction);

struct Summary {
  double median = 0;
  double p95 = 0;
  double least = 0;
};

Summary summarize(const std::vector<double>& samples);

// The times are so far apart that their median says little: something else ran.
bool noisy(const Summary& summary);

}  // namespace xylem::tools

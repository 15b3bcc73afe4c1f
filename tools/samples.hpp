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

struct Interval {
  double low = 0;
  double high = 0;
};

// Where the median lies with a certainty of 95 %, whatever the distribution (order statistics). Of fewer than 6 samples all
// that can be said is that it lies between the least and the largest.
Interval median_interval(std::vector<double> samples);

Summary summarize(const std::vector<double>& samples);

// The times are so far apart that their median says little: something else ran.
bool noisy(const Summary& summary);

}  // namespace xylem::tools

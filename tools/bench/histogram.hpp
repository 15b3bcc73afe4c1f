// How often a call took how long, in classes of equal width on a logarithmic scale.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace xylem::tools {

class Histogram {
 public:
  static constexpr int classes_per_octave = 4;

  void add(double seconds);
  void put(int number, std::size_t times) { counts_[number] += times; }

  bool empty() const { return counts_.empty(); }
  // Number of a class, and how many calls are in it; the empty ones are left out.
  const std::map<int, std::size_t>& counts() const { return counts_; }
  // Where a class begins, in seconds.
  static double lower_bound(int number);

 private:
  std::map<int, std::size_t> counts_;
};

// One character for each class from `first` to `last`, of a height that tells how many calls are in it.
std::string bars(const Histogram& histogram, int first, int last);

}  // namespace xylem::tools

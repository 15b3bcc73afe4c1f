#include "base/spelling.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace xylem {
namespace {

// The number of letters to insert, remove or replace to make `b` of `a` (Levenshtein).
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> distance(b.size() + 1);  // from the letters of `a` read so far to each beginning of `b`
  std::iota(distance.begin(), distance.end(), std::size_t{0});
  for (const char letter : a) {
    std::size_t diagonal = distance[0]++;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (letter == b[j - 1] ? 0 : 1);
      diagonal = distance[j];
      distance[j] = std::min({replaced, distance[j] + 1, distance[j - 1] + 1});
    }
  }
  return distance.back();
}

std::size_t distance_to(std::string_view known, std::string_view name) {
  return known.starts_with(name) || name.starts_with(known) ? 1 : edit_distance(name, known);
}

}  // namespace

std::string_view nearest_name(std::string_view name, std::span<const std::string_view> known) {
  const auto nearer = [&](std::string_view a, std::string_view b) { return distance_to(a, name) < distance_to(b, name); };
  const auto found = std::min_element(known.begin(), known.end(), nearer);
  return found == known.end() ? std::string_view() : *found;
}

}  // namespace xylem

#include "base/spelling.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

namespace xylem {
namespace {

// A word of few letters is soon another one.
constexpr std::size_t kShort = 5;
constexpr std::size_t kLeastOfAName = 3;

constexpr std::size_t kMostShown = 60;

// The number of letters to insert, remove or replace, or of neighbours to swap, to make `b` of `a` (Damerau).
std::size_t edit_distance(std::string_view a, std::string_view b) {
  // From the letters of `a` read so far, and from one and two fewer, to each beginning of `b`.
  std::vector<std::size_t> row(b.size() + 1), before(b.size() + 1), before_that;
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    before_that = std::exchange(before, row);
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      row[j + 1] = std::min({before[j] + (a[i] == b[j] ? 0 : 1), before[j + 1] + 1, row[j] + 1});
      if (i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j]) row[j + 1] = std::min(row[j + 1], before_that[j - 1] + 1);
    }
  }
  return row.back();
}

std::size_t distance_to(std::string_view known, std::string_view name) {
  const bool begins_alike = known.starts_with(name) || name.starts_with(known);
  return begins_alike && name.size() >= kLeastOfAName ? 1 : edit_distance(name, known);
}

}  // namespace

std::string_view nearest_name(std::string_view name, std::span<const std::string_view> known) {
  const auto nearer = [&](std::string_view a, std::string_view b) { return distance_to(a, name) < distance_to(b, name); };
  const auto found = std::min_element(known.begin(), known.end(), nearer);
  if (found == known.end()) return {};
  return distance_to(*found, name) <= (name.size() <= kShort ? 1U : 2U) ? *found : std::string_view();
}

std::string suggestion(std::string_view name, std::span<const std::string_view> known) {
  const std::string_view nearest = nearest_name(name, known);
  return nearest.empty() ? "" : "; did you mean " + std::string(nearest) + "?";
}

std::string printable(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string shown;
  for (const char letter : text) {
    if (shown.size() >= kMostShown) return shown + "...";
    const auto byte = static_cast<unsigned char>(letter);
    if (byte >= ' ' && byte <= '~') {
      shown += letter;
    } else {
      (shown += "\\x").append({kDigits[byte / 16], kDigits[byte % 16]});
    }
  }
  return shown;
}

}  // namespace xylem
